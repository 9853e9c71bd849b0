"""A small checkout under git with every kind of file that a pull request touches."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

BENCH = """\
default_suite = "smoke"
control = "control/jvm/pg"

[defaults]
{defaults}

[scenarios.fruits]
about = "fruits"
version = 1
workload = "fruits"
script = "fruits.ts"
operation = "GET /fruits"
connections = 100
prepare = "fruits-empty"

[scenarios.hello]
about = "hello"
version = 1
workload = "hello"
script = "hello.ts"
operation = "GET /hello/{{name}}"
connections = 20
source_latency = "2ms"

[suites.smoke]
about = "first numbers"
subjects = ["alpha/jvm/pg", "beta/jvm/pg"]
scenarios = ["fruits"]
blocks = 3
budget = "15m"
phases = [{{ kind = "closed", time = "3s" }}]

[suites.quick]
about = "more"
subjects = [
    "alpha/jvm/pg", "alpha/aot/pg", "alpha/jvm/pg+db-tls=require", "alpha/jvm/pg+heap=1g",
    "alpha/jvm/pg+run-in=container", "beta/jvm/pg",
]
scenarios = ["hello", "fruits"]
blocks = 2
budget = "1h"
phases = [{{ kind = "closed", time = "3s" }}]
"""

VARIANT = """\
name = "{name}"
framework = "{name}"
http = "web"
data = "client"
data_access = "sql"
concurrency = "imperative"
serves_on = "worker"
workloads = ["hello", "fruits"]
engines = ["pg"]

[build]
tool = "maven-reactor"
inputs = [{inputs}]

[packaging.jvm]
output = "target/app"
run = ["-jar", "app.jar"]

[packaging.aot]
like = "jvm"

[settings]
db-tls = ["off", "require"]
pool = "integer"
"""

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <artifactId>apps</artifactId>
  <modules>
    <module>domain</module>
    <module>alpha</module>
    <module>beta</module>
  </modules>
  <properties>
    <!-- Frameworks -->
    <alpha.version>1.0.0</alpha.version>
    <beta.version>2.0.0</beta.version>
    <jar-plugin.version>3.0.0</jar-plugin.version>
    <alpha-plugin.version>5.0.0</alpha-plugin.version>
    <surefire-plugin.version>3.5.3</surefire-plugin.version>
  </properties>
  <build><pluginManagement><plugins>
    <plugin><artifactId>maven-jar-plugin</artifactId><version>${jar-plugin.version}</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>${surefire-plugin.version}</version></plugin>
    <plugin><artifactId>alpha-maven-plugin</artifactId><version>${alpha-plugin.version}</version></plugin>
  </plugins></pluginManagement></build>
</project>
"""

MODULE = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <artifactId>{name}</artifactId>
  <dependencies><dependency><artifactId>{name}-bom</artifactId><version>${{{name}.version}}</version></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>{name}-maven-plugin</artifactId></plugin></plugins></build>
</project>
"""

JAVA = """\
package org.plumbline.app;

// Serves.
class Application {{
    /* the port */
    static final int PORT = 8080;
    static final String NOTE = "{note} // no comment";
}}
"""

PINS = """\
[k6]
version = "2.2.0"

[postgresql]
version = "18.6"

[mysql]
version = "9.5.0"
"""


def files() -> dict[str, str]:
    """Path -> text of the checkout's files, with the defaults of the project."""
    shipped = tomllib.loads((ROOT / "bench.toml").read_text())["defaults"]
    return {
        "bench.toml": BENCH.format(defaults="\n".join(f'{key} = "{value}"' for key, value in shipped.items())),
        "README.md": "# Words\n",
        "apps/containers/jvm.Containerfile": "FROM java\n",
        "apps/containers/native.Containerfile": "FROM ubuntu\n",
        "apps/containers/docker-bake.hcl": 'target "jvm" {}\n',
        "apps/pom.xml": POM,
        "apps/domain/pom.xml": "<project/>\n",
        "apps/domain/src/main/java/Domain.java": JAVA.format(note="domain"),
        "apps/domain/src/test/java/DomainTest.java": JAVA.format(note="test"),
        "apps/contract/sql/fruits.sql": "-- fruits\nINSERT INTO fruit VALUES (1);\n",
        "apps/contract/sql/prepare/fruits-empty.sql": "DELETE FROM fruit;\n",
        "apps/stub/Stub.java": JAVA.format(note="stub"),
        "apps/contract/sql/pg/schema.sql": "CREATE TABLE fruit (id int);\n",
        "apps/contract/golden/probes.toml": "[[probe]]\nname = 'a'\n",
        "apps/contract/openapi.yaml": "openapi: 3.1.0\n",
        "apps/alpha/pom.xml": MODULE.format(name="alpha"),
        "apps/alpha/variant.toml": VARIANT.format(name="alpha", inputs='"../pom.xml", "../domain"'),
        "apps/alpha/src/main/java/Application.java": JAVA.format(note="alpha"),
        "apps/alpha/src/main/resources/application.properties": "# pool\npool.size=20\n",
        "apps/beta/pom.xml": MODULE.format(name="beta"),
        "apps/beta/variant.toml": VARIANT.format(name="beta", inputs='"../pom.xml"'),
        "apps/beta/src/main/java/Application.java": JAVA.format(note="beta"),
        "apps/control/pom.xml": "<project/>\n",
        "apps/control/variant.toml": VARIANT.format(name="control", inputs="").replace("-reactor", ""),
        "k6/scenarios/fruits.ts": 'import { load } from "../lib/load.ts";\nimport { rows } from "../lib/rows.ts";\n'
        'export default load({ "GET /fruits": rows });\n',
        "k6/scenarios/hello.ts": 'import { load } from "../lib/load.ts";\n'
        'export default load({ "GET /hello/{name}": 1 });\n',
        "k6/lib/load.ts": 'import { deep } from "./deep.ts";\n// loads\nexport const load = 1;\n',
        "k6/lib/deep.ts": "export const deep = 1;\n",
        "k6/lib/rows.ts": "export const rows = 1;\n",
        "k6/go.mod": "module k6\n",
        "k6/tsconfig.json": "{}\n",
        "harness/plumbline/measuring/run/trial.py": '"""One trial."""\n\nWAIT_S = 1\n',
        "harness/plumbline/machine/host/kernel.py": "WIDTH = 1\n",
        "harness/plumbline/archive/history/series.py": "WIDTH = 1\n",
        "harness/plumbline/reporting/report/html.py": "WIDTH = 1\n",
        "harness/plumbline/machine/tools/pins.toml": PINS,
        "harness/requirements.lock": "click==8.5.1\n",
        "harness/requirements-dev.lock": "pytest==9.2.0\n",
        "harness/tests/test_run.py": "def test(): assert 1\n",
        "docs/method.md": "words\n",
        ".github/workflows/pr.yml": "on: pull_request\n",
        "site/src/main.ts": "export const a = 1;\n",
        "runner-setup/measures/swap.py": "NAME = 'swap'\n",
    }


def git(root: Path, *words: str) -> str:
    """Runs git as the user and author `test`."""
    who = {f"GIT_{role}_{field}": "test" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
    process = subprocess.run(
        ["git", "-C", str(root), *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **who},
    )
    return process.stdout.strip()


def make(root: Path, content: dict[str, str]) -> Path:
    """Makes a checkout with one commit, on branch main."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for path, text in content.items():
        write(root, path, text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def write(root: Path, path: str, text: str) -> None:
    """Writes a file, and makes the folders above it."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
