package org.nyala.loadtest.generate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
class TemplateErrorsTest {
  private static final String BEFORE =
      "branch: o=x\nsubordinateTemplate: p:3\n\ntemplate: p\nrdnAttr: cn\ncn: <sequential>\n";

  private static void read(String text) throws IOException {
    TemplateReader.read("people", text.lines().toList(), Path.of("."), Map.of(), 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<frist> | there is no tag <frist>",
        "<random:beta:5> | expected <random> with alpha, alphanumeric,",
        "<random:alpha:x> | a number of characters, a whole number from 0 to 65536, but found 'x'",
        "<random:alpha:9:5> | a shortest length that is not above the longest",
        "<random:alpha> | <random> with 1 or more parts",
        "<random:numeric:9:5> | expected the smallest number first, but found 9 and 5",
        "<random:numeric:1:5:0'> | a format of numbers such as 0000",
        "<random:numeric:1:99999999999999999999> | the largest number",
        "<random:normal:1> | <random:normal:MEAN:DEVIATION>",
        "<random:timestamp:2020:2021> | a time such as 20260131235959Z, but found '2020'",
        "<file:nowhere> | there is no file nowhere in the folder of the template",
        "<presence:130> | a percentage, a whole number from 0 to 100, but found '130'",
        "<ifpresent:mail> | the attribute 'mail' is not made yet",
        "{mail} | the attribute 'mail' is not made yet; the template p must have its line before",
        "{rand(1,x)} | {rand(1,x)}",
        "{mail | expected '}' behind '{', or \\{",
        "<first | expected '>' behind '<', or \\<",
        "<> | the name of a tag behind '<'",
        "<sequential:1:maybe> | true or false",
        "<list> | <list> with 1 or more parts behind colons",
        "<list:a;0> | a weight above 0",
        "<member:q:2> | there is no template 'q' for <member>",
        "<member:p:4> | <member> wants 4 entries of the template p, but the file makes 3",
        "<member:p:2:1> | the smaller number first",
        "<member:p><loop:1:2> | only one tag <loop> or <member>",
        "<loop:1:99999999999> | at most 2147483647 values",
        "<exec:date> | runs other programs",
        "a\\ | a character behind the backslash",
      })
  void shouldExplainValues(String value, String expected) {
    assertThatThrownBy(() -> read(BEFORE + "description: " + value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("people, line 7: ")
        .hasMessageContaining(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | must have a branch",
        "hello | line 1: expected define NAME=VALUE, branch: DN or template: NAME, but found 'hello'",
        "define x | line 1: expected define NAME=VALUE, but found 'define x'",
        "define x=1;define X=2 | line 2: there are two constants with the name x",
        "branch: | line 1: expected the name of an entry behind branch:, but found ''",
        "branch: nobody | line 1: expected the name of an entry behind branch:",
        "branch: o=x\\y | line 1: expected the name of an entry behind branch:, but found 'o=x\\y'",
        "branch: o=x;;branch: O=X | line 3: there are two branches with the name O=X",
        "branch: o=x;subordinateTemplate: p | line 2: expected a template and a number of entries",
        "branch: o=x;subordinateTemplate: p:1 | line 2: there is no template 'p'; the file has none",
        "branch: o=x;;template: p;;template: P | line 5: there are two templates with the name P",
        "branch: o=x;subordinateTemplate: p:1;;template: p | line 4: the template p must have a line such as rdnAttr: uid",
        "branch: o=x;subordinateTemplate: p:1;;template: p;rdnAttr: cn | line 4: the template p must have a line for its",
        "branch: o=x;subordinateTemplate: p:1;;template: p;rdnAttr: cn;cn: <presence:3>x | line 6: cn names entries",
        "branch: o=x;subordinateTemplate: p:1;;template: p;rdnAttr: cn;cn: <dn> | line 6: the name of an entry of",
        "branch: o=x;;template: p;extends: p | line 3: the template p extends itself",
        "branch: o=x;;template: p;extends: q;;template: q;extends: p | extends itself",
        "branch: o=x;;template: p;extends: q | line 4: there is no template 'q'; the file has p",
        "branch: o=x;;include org.example.Tag | line 3: tags of own Java classes",
        "branch: o=x;cn | line 2: expected a line such as cn: {givenName} {sn}, but found 'cn'",
      })
  void shouldExplainTheFile(String lines, String expected) {
    assertThatThrownBy(() -> read(lines.replace(';', '\n')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "p:1, entries of the template p are below themselves",
    "q:2, all entries of the template q would have the same name",
    "r:99999999999, 'a number of entries, a whole number from 0 to 2147483647'",
    "r:2000000000, makes more entries than the 2147483647 possible",
    "r:-1, a whole number from 0",
  })
  void shouldExplainImpossibleTrees(String site, String expected) {
    String text =
        "branch: o=x\nsubordinateTemplate: p:2\n\ntemplate: p\nrdnAttr: cn\ncn: <sequential>\n"
            + "subordinateTemplate: "
            + site
            + "\n\ntemplate: q\nrdnAttr: cn\ncn: x\n\n"
            + "template: r\nrdnAttr: cn\ncn: <guid>\nsubordinateTemplate: q:1\n";
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }

  /** Texts that double from line to line would fill the memory. */
  @Test
  void shouldBoundValuesThatDouble() throws Exception {
    StringBuilder text = new StringBuilder(BEFORE).append("a0: 0123456789abcdef\n");
    for (int i = 1; i < 60; i++) {
      text.append("a%d: {a%d}{a%d}%n".formatted(i, i - 1, i - 1));
    }
    DirectoryTemplate template =
        TemplateReader.read("people", text.toString().lines().toList(), null, Map.of(), 0);
    assertThatThrownBy(() -> GeneratedLdif.of(template, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the values of an entry are longer than 67108864 bytes together");
  }

  @Test
  void shouldNameAnEntryThatHasNoName() throws Exception {
    DirectoryTemplate template =
        GeneratedLdif.template(
            "branch: o=x",
            "subordinateTemplate: p:300",
            "",
            "template: p",
            "rdnAttr: cn",
            "sn: <presence:50><sequential:1>",
            "cn: {sn}");
    assertThatThrownBy(() -> GeneratedLdif.of(template, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("t, line 7: entry \\d+ of the template p has no cn for its name");
  }

  @Test
  void shouldReadListsBesideTheTemplateFirst(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("cities"), "Atlantis\n\n");
    Files.writeString(folder.resolve("empty"), "\n");
    Files.write(folder.resolve("bytes"), new byte[] {'a', (byte) 0xff});
    Path file = folder.resolve("x.template");
    Files.writeString(file, "branch: l=here\ndescription: <file:cities>\n");
    assertThat(GeneratedLdif.of(TemplateReader.read(file, Map.of(), 0), 0).values("description"))
        .containsExactly("Atlantis");
    for (String name : List.of("empty", "bytes", "../x\0")) {
      Files.writeString(file, "branch: l=here\ndescription: <file:" + name + ">\n");
      assertThatThrownBy(() -> TemplateReader.read(file, Map.of(), 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(file + ", line 2: ");
    }
    Files.write(file, new byte[] {'#', (byte) 0xff});
    assertThatThrownBy(() -> TemplateReader.read(file, Map.of(), 0))
        .hasMessageContaining("must be a template in UTF-8");
  }

  /** Templates with random changes are read, or refused in a sentence; nothing else happens. */
  @Test
  void shouldSurviveAnyText() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String whole;
    try (var in = TemplateReader.class.getResourceAsStream("default.template")) {
      whole = new String(in.readAllBytes(), UTF_8);
    }
    whole +=
        """
        a: <dn:2><_dn>{cn:3}<presence:50><ifpresent:cn:x><ifabsent:cn><file:cities:zipf:2>
        b: <base64:{cn}><random:chars:ab:2:3><random:normal:5:2:1:9>{rand(1,5)}{uuid}
        c: <member:person:1:5:zipf><random:numeric:1:9:000>\\<{pick(a=1,b=2)}
        """;
    String alphabet = "<>{}[]:\\,=;+#% \n0123456789abcnpx.é\0()-*'";
    int read = 0;
    for (int i = 0; i < 3_000; i++) {
      StringBuilder text = new StringBuilder(whole);
      for (int change = random.nextInt(6); change >= 0; change--) {
        int at = random.nextInt(text.length());
        switch (random.nextInt(4)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
          case 2 -> text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
          default -> {
            int from = random.nextInt(text.length());
            text.insert(
                at, text.substring(from, Math.min(text.length(), from + random.nextInt(60))));
          }
        }
      }
      read += survives(text.toString(), seed) ? 1 : 0;
    }
    assertThat(read).isBetween(250, 2_950);
  }

  private static boolean survives(String text, long seed) {
    try {
      DirectoryTemplate template =
          TemplateReader.read("people", text.lines().toList(), null, Map.of(), 0);
      try (LdifOutput writer = new LdifOutput(new Bounded())) {
        new Generation(template, 0).write(writer);
      }
      return true;
    } catch (Enough _) {
      return true;
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).as("seed %d", seed).startsWith("people");
      return false;
    } catch (Exception | StackOverflowError e) {
      return fail("seed " + seed + " with the template\n" + text, e);
    }
  }

  /** The signal that enough was written. */
  private static final class Enough extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** A stream that takes some entries only. */
  private static final class Bounded extends OutputStream {
    private int left = 1 << 16;

    @Override
    public void write(int b) throws IOException {
      write(new byte[1], 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      left -= length;
      if (left < 0) {
        throw new Enough();
      }
    }
  }
}
