"""JSON-RPC 2.0 as MCP 2026-07-28 uses it: the response to one request, and the error codes."""

from dataclasses import dataclass
from typing import TypeAlias

from bot.errors import OtherMcpVersion, ProtocolFailure, RpcFailure
from bot.strict_json import Json
from bot.text import clamp, printable

JsonObject: TypeAlias = dict[str, Json]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
LEGACY_SERVER_ERROR = -32000
HEADER_MISMATCH = -32020
MISSING_CLIENT_CAPABILITY = -32021
UNSUPPORTED_PROTOCOL_VERSION = -32022

SAID_LIMIT = 500
_OLD_PYTHON_SDK_ID = "server-error"


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """The error object of a response. `said` is the trick's own text, at most 500 characters."""

    code: int
    said: str
    data: Json
    from_old_server: bool = False

    def supports(self, version: str) -> bool:
        """Whether this is the refusal of a protocol version that names `version` as one it takes."""
        if self.code != UNSUPPORTED_PROTOCOL_VERSION or not isinstance(self.data, dict):
            return False
        supported = self.data.get("supported")
        return isinstance(supported, list) and version in supported

    def failure(self) -> RpcFailure:
        """The error to raise for it."""
        if self.from_old_server or self.code == UNSUPPORTED_PROTOCOL_VERSION:
            return OtherMcpVersion(self.code, self.said)
        return RpcFailure(self.code, self.said)


def read_response(message: JsonObject, request_id: str, status: int) -> JsonObject | ErrorResponse:
    """The result object of the response to request `request_id`, or its error.

    A result has to carry exactly our id; an error ours, null or none. `status` is the HTTP status of the
    reply: servers of older revisions answer 400 with an error of their own. Raises `ProtocolFailure`.
    """
    if message.get("jsonrpc") != "2.0":
        raise ProtocolFailure("The reply is not a JSON-RPC 2.0 message.")
    if ("result" in message) == ("error" in message):
        raise ProtocolFailure("The reply is not a JSON-RPC response: it needs either a result or an error.")
    if "error" in message:
        return _read_error(message, request_id, status)
    if message.get("id") != request_id:
        raise ProtocolFailure("The reply does not carry the id of the request.")
    result = message["result"]
    if not isinstance(result, dict):
        raise ProtocolFailure("The result is not a JSON object.")
    return result


def _read_error(message: JsonObject, request_id: str, status: int) -> ErrorResponse:
    code, said, data = read_error_object(message["error"])
    sender = message.get("id")
    old = status == 400 and (
        code == LEGACY_SERVER_ERROR or (code == INVALID_REQUEST and sender == _OLD_PYTHON_SDK_ID)
    )
    if sender not in (request_id, None) and not old:
        raise ProtocolFailure("The error does not carry the id of the request.")
    return ErrorResponse(code, said, data, old)


def read_error_object(error: Json) -> tuple[int, str, Json]:
    """Code, text (at most 500 characters) and data of an error object. Raises `ProtocolFailure`."""
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(error, dict) or not isinstance(code, int) or isinstance(code, bool):
        raise ProtocolFailure("The reply is an error without a code.")
    message = error.get("message")
    said = printable(message[: 2 * SAID_LIMIT]) if isinstance(message, str) else ""
    return code, clamp(said, SAID_LIMIT), error.get("data")
