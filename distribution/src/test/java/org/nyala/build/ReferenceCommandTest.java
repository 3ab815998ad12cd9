package org.nyala.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.RootDSE;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.error.ExitCode;
import org.nyala.migrate.EveryDirective;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;
import picocli.CommandLine;

/** Compares the generated reference with the texts written by hand beside it. */
class ReferenceCommandTest {
  private static final Path MANUAL = Path.of("../src-docs/manual.adoc");

  /** A row of a table with three cells, none of them empty. */
  private static final Pattern BEAN_ROW = Pattern.compile("\\|``([^`]+)`` \\|(.*?) \\|(.+)");

  @TempDir static Path folder;

  @BeforeAll
  static void write() {
    int exitCode =
        BuildTools.commandLine().execute("reference", "--project=..", "--output=" + folder);
    assertThat(exitCode).isZero();
  }

  private static String part(String name) throws Exception {
    return Files.readString(folder.resolve(name + ".adoc"));
  }

  @Test
  void shouldSayOfEveryKeyWhatItTakes() throws Exception {
    String keys = part("keys");
    for (String key : ConfigurationFile.keys()) {
      assertThat(keys).contains("[[" + key + "]]");
    }
    assertThat(keys)
        .contains(
            "|[[nyala.limits.filterDepth]]``limits&#46;filterDepth`` |a whole number from 1 to 512"
                + " |``64`` |restart .2+|How deep a filter may be nested",
            "|[[nyala.limits.sizeLimit]]``limits&#46;sizeLimit`` |a whole number from 0 to"
                + " 1000000000 |``0`` |yes .3+|Entries",
            "|[[nyala.root.passwordFile]]``root&#46;passwordFile`` |text |none |yes",
            "``uid&#58;eq&#44;sub``".replace("&#44;", ","))
        .doesNotContain("| |");
  }

  @Test
  void shouldHaveEveryCommandAndEveryExitCode() throws Exception {
    assertThat(part("commands"))
        .contains(
            "[#command-nyala]",
            "[#command-nyala-expression]",
            "[#command-nyala-restore]",
            "--suffix=DN",
            "[#command-nyala-serve]")
        .doesNotContain("nyala-train", "nyala-reference");
    String codes = part("exit-codes");
    for (Field code : ExitCode.class.getDeclaredFields()) {
      code.setAccessible(true);
      assertThat(codes).contains("[[exit-code-" + code.get(null) + "]]");
    }
  }

  @Test
  void shouldDescribeEveryPartOfEveryBean() throws Exception {
    String beans = part("beans");
    Set<String> bare = new HashSet<>();
    int rows = 0;
    for (String line : beans.lines().filter(line -> line.startsWith("|``")).toList()) {
      Matcher row = BEAN_ROW.matcher(line);
      if (!row.matches() || row.group(3).contains("exposed for management")) {
        bare.add(line);
      }
      rows++;
    }
    assertThat(bare).isEmpty();
    assertThat(rows).isGreaterThan(60);
    // Parameters without a description have the words of the JDK.
    assertThat(beans)
        .contains("[#bean-Store]", "[#bean-Listener]", "org&#46;nyala&#46;store&#46;longRead")
        .doesNotContain("exposed for management", "): p0", "``p0``");
  }

  @Test
  void shouldDescribeEveryMetric() throws Exception {
    List<String> rows = part("metrics").lines().filter(line -> line.startsWith("|[[")).toList();
    assertThat(rows).hasSizeGreaterThan(40).allMatch(row -> !row.endsWith("|"));
    assertThat(String.join("\n", rows))
        .contains(
            "[[metric-ldap_server_requests_seconds]]",
            "[[metric-ldap_server_requests_commit_seconds]]",
            "|histogram |``operation``, ``result`` |How long requests took");
  }

  /** The page on the move from slapd: what the program does with each directive, as it says. */
  @Test
  void shouldSayOfEveryDirectiveOfSlapdWhatMigrateDoes() throws Exception {
    String text = part("migration");
    for (String name : EveryDirective.names()) {
      assertThat(text).containsPattern("\\|``" + Pattern.quote(AdocText.plain(name)) + "[ `]");
    }
    for (String overlay : EveryDirective.overlays()) {
      assertThat(text).contains("|``overlay " + AdocText.plain(overlay) + "`` |");
    }
    assertThat(text)
        .contains("|``sizelimit 500`` |*Translated*: limits&#46;sizeLimit &#61; 500")
        .contains("|``lastbind on`` |*Translated*: passwordPolicy&#46;lastBind")
        .contains("|``overlay ppolicy`` |*Not quite the same*: policies and the state of accounts")
        .doesNotContain("not known here", "| |", "|\n|``");
    String page = Files.readString(Path.of("../src-docs/migration.adoc"));
    assertThat(page).contains("include::{reference}/migration.adoc[]");
    int from = page.indexOf("[#migration-keys]");
    assertThat(page.substring(from, page.indexOf("[#migration-tools]")).lines())
        .as("the program says what has no counterpart")
        .noneMatch(line -> line.matches("\\|.* \\|None[.:].*"));
  }

  @Test
  void shouldPlaceEveryNumberOfTheCountersFile() throws Exception {
    assertThat(part("counters"))
        .contains(
            "|1024 |``state`` |1 while it starts, 2 while it serves, 3 while it stops&#46;\n",
            "|1408 |``updatesRefused`` |Changes answered busy because too many waited for the"
                + " writer&#46;\n");
    assertThat(Files.readString(MANUAL)).contains("include::{reference}/counters.adoc[]");
  }

  @Test
  void shouldDescribeEveryEntryOfTheMonitor() throws Exception {
    List<String> rows = part("monitor").lines().filter(line -> line.startsWith("|``")).toList();
    assertThat(rows)
        .hasSizeGreaterThan(80)
        .allMatch(row -> !row.endsWith("|"))
        .anyMatch(row -> row.startsWith("|``cn&#61;Bind,cn&#61;Operations,cn&#61;Monitor`` |"))
        .anyMatch(row -> row.contains("``cn&#61;Connection N,cn&#61;Connections,cn&#61;Monitor``"))
        .anyMatch(row -> row.contains("Messages&#58; entries, results"))
        .anyMatch(row -> row.matches("\\|``monitorConnectionActivityTime`` \\|.*request came"))
        .anyMatch(row -> row.startsWith("|``olmMDBPagesFree`` |pages"));
  }

  @Test
  void shouldHaveEveryCommandOfTheLoadTester() throws Exception {
    String text = part("load-tester");
    assertThat(text)
        .contains(
            "[#command-nyala-loadtest]",
            "[#command-nyala-loadtest-job]",
            "|``add&#45;delete`` |",
            "|``auth``, ``authenticate`` |",
            "[#command-nyala-loadtest-bench]",
            "[#command-nyala-loadtest-jmh]",
            "[#command-nyala-loadtest-caching-serve]",
            "--entry-cache",
            "Exit codes: 0")
        .containsOnlyOnce("--find-knee");
    for (CommandLine command :
        org.nyala.loadtest.cli.Main.commandLine().getSubcommands().values()) {
      command
          .getCommandSpec()
          .options()
          .forEach(option -> assertThat(text).contains(option.longestName()));
    }
  }

  @Test
  void shouldFindEveryControlAndExtensionInTheManual() throws Exception {
    String manual = Files.readString(MANUAL);
    Path served = Files.createTempDirectory(folder, "served");
    try (RunningServer server = LocalServer.start(served, "dynamicEntries.enabled = true");
        LDAPConnection client = LocalServer.connect(server)) {
      RootDSE root = client.getRootDSE();
      assertThat(
              Stream.of(root.getSupportedControlOIDs(), root.getSupportedExtendedOperationOIDs())
                  .flatMap(Arrays::stream))
          .hasSizeGreaterThan(20)
          .allSatisfy(oid -> assertThat(manual).contains("|" + oid + " "));
    }
  }
}
