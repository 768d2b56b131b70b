export const EXAMPLES = `Examples:
  holdfast submit plan.json --input '{"files": ["a", "b"]}' --label team=records --watch
  holdfast submit plan.json --budget effects=100 --budget money=2.50EUR --tenant acme
  holdfast watch mission-2000
  holdfast cancel mission-2000 --within 30s --reason "wrong folder"
  holdfast cancel --label team=records --mode drain --watch
  holdfast pause mission-2000 --reason "the office is closed"
  holdfast steer mission-2000 --window file=4 --deadline 2h
  holdfast escalations
  holdfast explain mission-2000
  holdfast answer mission-2000 --question 812 --choice applied --note "found in the ledger" --result '{"id": 7}'
  holdfast runs --status waiting --since 2h
  holdfast fork mission-2000 --run mission-2000b --plan
  holdfast replay mission-2000
  holdfast tokens create ci --role operator --expires 30d
  holdfast tools inspect -- npx -y @modelcontextprotocol/server-memory > tools.yaml
  holdfast doctor
  holdfast chaos plan.json --tools ./dist/tools.js --runs 5 --ledger http://127.0.0.1:8080/entries --yes
  holdfast --json watch mission-2000 | jq -r .words`;

export const EXIT_CODES = `Exit codes:
  0  done; for watch: the run succeeded, or you stopped watching with Ctrl-C
  1  the run ended without success, or a history is not sound; for doctor: something is wrong; for lanes: one stands still;
     for projections: they differ from the log; for chaos: an effect was repeated or lost
  2  the command line, a file or the request is wrong
  3  the cluster or the gateway cannot be reached, or no coordinator answers
  4  there is no such run, question or dead letter`;
