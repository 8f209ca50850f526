"""Work that goes on after its call: polling, progress, questions, ends."""
