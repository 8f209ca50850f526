"""Work that goes on after its call: polling, progress, questions, ends.

Following: `waiting` (the seconds within a turn), `poller` (all that is due), `polls` (one poll), `poll_times` (when
the next one is), `rounds` (calls that asked back), `faults`, `ends`, `closing` (the ground is gone).
Telling: `news` (what is stored), `telling` (posting it), `narrator` (who finds the words).
Questions: `question_rows` (what is asked, and answered on the wire), `questions` and `fields` (what a form asks),
`secret_words`, `wording`, `question_posts` and `question_messages` (in Discord), `question_desk` (taking answers),
`question_watch` (whose next words may be one), `forms`, `form_reading` and `literals` (reading them).
"""
