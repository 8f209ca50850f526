"""The demo as somebody meets it: a browser, a channel, a command, a button, a conversation."""

from tests.support.browser import open_tab
from tests.support.demo import (
    enter,
    press_button,
    reply_to,
    sees,
    start_demo,
    use_command,
    view_as,
    write,
)


async def test_somebody_uses_a_slash_command_and_presses_a_button_of_the_answer(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium) as tab:
        await enter(tab, demo)
        await sees(tab, "Snack Club is installed here")

        await use_command(tab, "snacks")
        await sees(tab, "popcorn, fruit, pretzels")
        await sees(tab, "Only you can see this")

        await press_button(tab, "Save fruit")
        await sees(tab, "Saved: fruit.")


async def test_a_member_sees_the_public_answer_and_is_told_what_only_managers_may(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium) as tab:
        await enter(tab, demo)
        await write(tab, "^snacks")
        await sees(tab, "popcorn, fruit, pretzels")

        await view_as(tab, "Tom")
        await sees(tab, "popcorn, fruit, pretzels")
        await press_button(tab, "Save popcorn")
        await sees(tab, "You cannot use this here")


async def test_what_one_person_does_appears_by_itself_in_anothers_page(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium) as one, open_tab(chromium) as other:
        await enter(one, demo)
        await enter(other, demo)
        await write(one, "^favorites")
        await sees(other, "Nobody saved a snack yet.")


async def test_somebody_asks_replies_and_decides_on_the_card(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium, 1200, 900) as tab:
        await enter(tab, demo)
        await view_as(tab, "Mia")
        await write(tab, "@Kennel what snacks are there?")
        await sees(tab, "There are popcorn, fruit, pretzels.")

        await reply_to(tab, "There are popcorn, fruit, pretzels.", "save fruit for me")
        await sees(tab, "Shall I do this?")
        await press_button(tab, "Details")
        await sees(tab, "All inputs, as JSON")

        await view_as(tab, "Olive")
        await press_button(tab, "Do it")
        await sees(tab, "Only the member who asked can answer this.")

        await view_as(tab, "Mia")
        await press_button(tab, "Do it")
        await sees(tab, "Done: fruit is saved for you.")
        await sees(tab, "Closed: you agreed")


async def test_a_task_asks_in_the_page_and_ends_by_itself(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium, 1200, 900) as tab:
        await enter(tab, demo)
        await view_as(tab, "Tom")
        await write(tab, "@Kennel help me choose a snack")
        await sees(tab, "I am looking into the cupboard for you.")
        await sees(tab, "What do you feel like?")
        await press_button(tab, "sweet")
        await sees(tab, "I would take fruit.")
