"""The words of automatic continuations, as they are posted."""

from collections.abc import Sequence

from bot.assistant.conversation import Conversation
from bot.assistant.narration import ModelNarrator
from bot.llm.model import MAX_SECONDS, AssistantMessage, Completion, Message, ToolSpec
from bot.policy.links import LinkRules
from bot.policy.provenance import Source
from bot.tasks.questions import read_question
from bot.tasks.wording import MAX_DESCRIBED
from storage.engine import Database
from storage.requests import Requests
from tests.support.request_records import asked, request

LINK = "https://shop.example.evil.example/sizes"


class _Says:
    """A model that always says the same."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.told: list[str] = []

    async def complete(
        self,
        system: str,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] = (),
        *,
        seconds: float = MAX_SECONDS,
        max_output_tokens: int = 4_096,
    ) -> Completion:
        self.told.append(system)
        return Completion(AssistantMessage(text=self._text))

    async def aclose(self) -> None:
        pass


async def test_the_words_of_a_long_question_end_before_a_link_or_behind_it(database: Database) -> None:
    conversation = Conversation(messages=(), links=(LINK,))
    await asked(database, request(state=conversation.dump()))
    question = read_question("Which size?", {"type": "object", "properties": {"size": {"type": "string"}}})
    for before in range(MAX_DESCRIBED - len(LINK) - 2, MAX_DESCRIBED + 2, 5):
        text = f"{'x' * (before - 1)} {LINK} which size?"
        narrator = ModelNarrator(_Says(text), Requests(database), LinkRules())
        (words,) = (await narrator.question("r1", "Order", question)).parts
        assert len(words) <= MAX_DESCRIBED
        assert words.replace(f"<{LINK}>", "").count("https") == 0


async def test_guidance_that_a_conversation_read_is_heeded_by_its_continuations(database: Database) -> None:
    model = _Says("Still at it.")
    for request_id, sources in (("r1", ()), ("r2", (Source(kind="guidance", text="Be kind"),))):
        state = Conversation(messages=(), sources=sources).dump()
        await asked(database, request(request_id, message_id=request_id, state=state))
        await ModelNarrator(model, Requests(database), LinkRules()).progress(request_id, "Bake", "Baking")
    plain, guided = model.told
    assert "guidance_of_the_server" not in plain
    assert "guidance_of_the_server" in guided
    assert "You now have no tools" in guided
