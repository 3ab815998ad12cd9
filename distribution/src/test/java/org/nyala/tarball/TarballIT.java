package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;

/** Checks the contents of the tarball, and its commands against the manual. */
class TarballIT extends TarballTestCase {
  /** A link of Markdown to another file or place. */
  private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)#]*)#?([^)]*)\\)");

  /** A link of HTML to another file or place. */
  private static final Pattern HTML_LINK =
      Pattern.compile("href=\"(?![a-z]+:)([^\"#]*)#?([^\"]*)\"");

  /** The manual as one page. */
  private static final Path SITE = Path.of("target/site/index.html");

  @Test
  void shouldHaveTheLayoutThatTheManualNames() {
    for (String file :
        new String[] {
          "bin/nyala",
          "bin/nyala-loadtest",
          "conf/nyala.conf",
          "conf/access.rules",
          "conf/logging.properties",
          "conf/schema/core.schema",
          "conf/systemd/nyala.service",
          "conf/container/Containerfile",
          "conf/container/cluster-member",
          "conf/container/cluster.conf",
          "conf/container/compose.yaml",
          "conf/container/helm/nyala/Chart.yaml",
          "conf/container/helm/nyala/templates/statefulset.yaml",
          "conf/fail2ban/filter.d/nyala.conf",
          "conf/fail2ban/jail.d/nyala.conf",
          "lib/nyala.jar",
          "lib/nyala.aot",
          "lib/native/liblmdb.so",
          "lib/native/libzstd-jni.so",
          "runtime/bin/java",
          "docs",
          "LICENSE",
          "README.md",
          "CHANGELOG.md",
          "CONTRIBUTING.md",
          "ARCHITECTURE.md"
        }) {
      assertThat(home.resolve(file)).exists();
    }
  }

  @Test
  void shouldLinkOnlyToWhatIsThere() throws Exception {
    List<Path> targets = new ArrayList<>();
    try (var files = Files.walk(home)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".md")).toList()) {
        Matcher link = LINK.matcher(Files.readString(file));
        while (link.find()) {
          targets.add(Anchors.follow(file, link.group(1), link.group(2)));
        }
      }
    }
    assertThat(targets).contains(home.resolve("docs/manual.html"), home.resolve("docs/decisions"));
  }

  @Test
  void shouldHaveAManualWhoseEveryLinkLeadsSomewhere() throws Exception {
    Map<Path, String> pages = new TreeMap<>();
    try (var files = Files.list(home.resolve("docs"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".html")).toList()) {
        pages.put(file, Files.readString(file));
      }
    }
    assertThat(pages)
        .containsKeys(home.resolve("docs/index.html"), home.resolve("docs/reference.html"));
    pages.put(SITE, Files.readString(SITE));
    int links = 0;
    for (Map.Entry<Path, String> page : pages.entrySet()) {
      assertThat(page.getValue()).doesNotContain("<link rel=", "<script", "src=\"http");
      Matcher link = HTML_LINK.matcher(page.getValue());
      while (link.find()) {
        Anchors.follow(page.getKey(), link.group(1), link.group(2));
        links++;
      }
    }
    assertThat(links).isGreaterThan(100);
  }

  @Test
  void shouldVerifyWhatItImported() throws Exception {
    nyala("verify").shouldSucceed();
  }

  @Test
  void shouldExportWhatItImported() throws Exception {
    String ldif = nyala("export").shouldSucceed().out();
    assertThat(ldif.lines().filter(line -> line.startsWith("dn:"))).hasSize(513);
    assertThat(ldif).contains("userPassword: {SSHA}").contains("entryUUID: ");
  }

  @Test
  void shouldImportCompressedFiles() throws Exception {
    Path packed = folder.resolve("people.ldif.zst");
    try (OutputStream output = new ZstdOutputStreamNoFinalizer(Files.newOutputStream(packed))) {
      output.write(nyala("sample", "20").shouldSucceed().out().getBytes(StandardCharsets.UTF_8));
    }
    Path data = folder.resolve("unpacked");
    assertThat(nyala("import", "--data", data.toString(), packed.toString()).shouldSucceed().out())
        .startsWith("imported 33 of 33 entries");
  }

  @Test
  void shouldSayInOneLineWhatIsWrong() throws Exception {
    Path conf = Files.writeString(folder.resolve("bad.conf"), "nyala { dta = x }\n");
    Processes.Result result = nyala("serve", "--config", conf.toString());
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err())
        .startsWith("nyala: " + conf + ":1: nyala.dta: there is no such key")
        .hasLineCount(1);

    result = nyala("serve", "--data", folder.resolve("nothing").toString());
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).startsWith("nyala: there is no directory data in ").hasLineCount(1);

    result = nyala("frobnicate");
    assertThat(result.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(result.err()).contains("Try 'nyala --help'.").doesNotContain("\tat ");
  }

  @Test
  void shouldStartFromALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("nyala-link"), home.resolve("bin/nyala"));
    Processes.Result version =
        Processes.run(folder, Map.of(), List.of(link.toString(), "--version")).shouldSucceed();
    assertThat(version.out()).matches("nyala \\d+\\.\\d+\\.\\d+.*\n");
  }

  @Test
  void shouldExplainEveryCommand() throws Exception {
    assertThat(nyala("--help").shouldSucceed().out())
        .contains("serve", "start", "stop", "import", "Exit codes:");
    assertThat(nyala("serve", "--help").shouldSucceed().out()).contains("--listen", "--sample");
  }
}
