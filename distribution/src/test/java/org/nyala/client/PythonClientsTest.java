package org.nyala.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.process.Processes;
import org.nyala.process.ServedDirectory;

/**
 * Tests Python's LDAP clients against a real server; their scripts are in {@code src/test/python}.
 */
class PythonClientsTest {
  private static final Path PROJECT = Path.of("").toAbsolutePath();
  private static final Path PYTHON = PROJECT.resolve("target/python/bin/python");

  @TempDir static Path folder;

  private static ServedDirectory served;

  @BeforeAll
  static void serve() throws Exception {
    prepare();
    served = ServedDirectory.start(folder, "clients.ldif");
  }

  /** Compiles python-ldap if that has not been done yet; see the head of the script. */
  private static void prepare() throws Exception {
    Processes.Result result =
        Processes.run(
            folder,
            System.getenv(),
            List.of(PROJECT.resolve("src/test/python/prepare").toString()));
    assertThat(result.exitCode()).as("%s%s", result.out(), result.err()).isZero();
  }

  @AfterAll
  static void stop() {
    if (served != null) {
      served.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"python_ldap_test.py", "ldap3_test.py"})
  void shouldServe(String script) throws Exception {
    assertPasses(script, served);
  }

  /** Runs them with the access rules that are shipped. */
  @Test
  void shouldServeByAccessRules() throws Exception {
    Path ruled = Files.createDirectory(folder.resolve("ruled"));
    Path rules = PROJECT.resolve("src/packaging/conf/access.rules");
    try (ServedDirectory server = ServedDirectory.startRuled(ruled, "clients.ldif", rules)) {
      assertPasses("access_rules_test.py", server);
    }
  }

  private static void assertPasses(String script, ServedDirectory server) throws Exception {
    Map<String, String> environment =
        Map.of(
            "NYALA_URL", server.url(),
            "PYTHONDONTWRITEBYTECODE", "1",
            "PYTHONUTF8", "1",
            // Neither the machine's nor the user's ldap.conf applies.
            "LDAPNOINIT", "1");
    Path scripts = PROJECT.resolve("src/test/python");
    Processes.Result result =
        Processes.run(
            folder,
            environment,
            List.of(
                PYTHON.toString(),
                "-m",
                "unittest",
                "discover",
                "--start-directory",
                scripts.toString(),
                "--pattern",
                script));
    assertThat(result.exitCode()).as("exit code; output: %s", result.err()).isZero();
    assertThat(result.err()).containsPattern("Ran [1-9][0-9]* tests").endsWith("\nOK\n");
  }
}
