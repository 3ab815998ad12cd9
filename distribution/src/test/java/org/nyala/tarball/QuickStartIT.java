package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.DocumentedPage;
import org.nyala.process.DocumentedPage.Block;
import org.nyala.process.DocumentedPage.Kind;
import org.nyala.process.Processes;

/**
 * Types the manual's quick start, and that of the README, at a terminal of a machine with a shell
 * and LDAP's clients, and without Java. Whoever follows them still has the first user afterwards.
 */
class QuickStartIT {
  /** The headings between which the README has commands for an unpacked tarball. */
  private static final String README_BEGIN = "## Use it";

  private static final String README_END = "## What it does";

  private static final String README_CONFIGURATION = "example.conf";

  /** The programs that the page and the launcher need. */
  private static final List<String> PROGRAMS =
      List.of(
          "cat",
          "grep",
          "gzip",
          "ldapadd",
          "ldapmodify",
          "ldappasswd",
          "ldapsearch",
          "readlink",
          "setsid",
          "tar",
          "wc");

  @TempDir Path folder;

  private Typist typist;

  @BeforeEach
  void prepare() throws Exception {
    Path tarball = Tarball.file();
    Files.copy(tarball, folder.resolve(tarball.getFileName()));
    Path programs = Files.createDirectory(folder.resolve("programs"));
    for (String name : PROGRAMS) {
      Processes.lend(name, programs);
    }
    typist =
        new Typist(
            folder,
            Map.of(
                "PATH",
                programs.toString(),
                "HOME",
                folder.toString(),
                "TERM",
                "dumb",
                "LDAPNOINIT",
                "1",
                // A server lives for seconds, which the second compiler does not earn back.
                "NYALA_JAVA_OPTS",
                "-XX:TieredStopAtLevel=1"),
            QuickStartIT::password);
  }

  @AfterEach
  void leave() throws Exception {
    typist.close();
  }

  @Test
  void shouldWorkAsThePageSays() throws Exception {
    List<Block> blocks = DocumentedPage.blocks("quick-start.adoc");
    assertThat(blocks).hasSizeGreaterThan(10).allMatch(Block::isRun);
    String shown = "";
    for (Block block : blocks) {
      if (block.kind() == Kind.OUTPUT) {
        Typist.shouldShow(block, shown);
        continue;
      }
      shown = typist.type(block);
      if (block.text().getLast().endsWith("bin/nyala stop --config conf/my.conf")) {
        haveData();
      }
    }
    typist.type("bin/nyala stop --config conf/my.conf --data imported");
    haveAda("conf/my.conf", "uid=ada,ou=People,dc=example,dc=com");
  }

  @Test
  void shouldWorkAsTheReadmeSays() throws Exception {
    List<String> lines = Files.readAllLines(DocumentedPage.README);
    int begin = lines.indexOf(README_BEGIN);
    int end = lines.indexOf(README_END);
    List<Block> blocks =
        DocumentedPage.blocks(DocumentedPage.README).stream()
            .filter(block -> block.line() > begin && block.line() < end)
            .toList();
    assertThat(blocks).hasSize(3).allMatch(Block::isRun);
    typist.type("tar -xzf nyala-*-linux-x64.tar.gz", "cd nyala-*/");
    haveData();
    typist.type("printf 'database mdb\\nsuffix dc=example,dc=com\\n' > slapd.conf");
    for (Block block : blocks) {
      if (block.kind() == Kind.CONFIGURATION) {
        typist.type(
            Stream.of("cat > " + README_CONFIGURATION + " <<'EOF'", block.file() + "EOF")
                .flatMap(String::lines)
                .toArray(String[]::new));
      } else {
        typist.type(block);
      }
    }
    typist.type("bin/nyala stop --config example.conf --data imported");
    haveAda(README_CONFIGURATION, "uid=ada,dc=example,dc=com");
  }

  /** Finds the first user of a page, who has the password that the page has set. */
  private void haveAda(String configuration, String dn) throws IOException {
    typist.type("bin/nyala start --config " + configuration);
    String shown =
        typist.type(
            "ldapsearch -x -LLL -H ldap://127.0.0.1:1389 -D "
                + dn
                + " -w analytical -b "
                + dn
                + " mail");
    assertThat(shown).contains("mail: ada@example.com");
    typist.type("bin/nyala stop --config " + configuration);
  }

  /** Creates the data that the page assumes. */
  private void haveData() throws IOException {
    typist.type("bin/nyala sample --entries 30 -o people.ldif");
  }

  /** Returns Ada's password if the question is about her: a new one, or the current one. */
  private static String password(String question, String command) {
    boolean isNew = question.contains("New") || question.contains("new");
    return isNew || command.contains("-D uid=ada") ? "analytical" : "secret";
  }
}
