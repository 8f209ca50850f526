"""The demo as somebody meets it: a browser, a channel, a command, a button."""

from tests.support.browser import open_tab
from tests.support.demo import enter, press_button, sees, start_demo, use_command, view_as, write


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

        await view_as(tab, "Mia")
        await sees(tab, "popcorn, fruit, pretzels")
        await press_button(tab, "Save popcorn")
        await sees(tab, "You cannot use this here")


async def test_what_one_person_does_appears_by_itself_in_anothers_page(chromium: str) -> None:
    async with start_demo() as demo, open_tab(chromium) as one, open_tab(chromium) as other:
        await enter(one, demo)
        await enter(other, demo)
        await write(one, "^favorites")
        await sees(other, "Nobody saved a snack yet.")
