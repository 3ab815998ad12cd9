package org.nyala.loadtest.workload;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.util.ValuePattern;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PatternReaderTest {
  private static String text(TextPattern pattern, int person, long operation) {
    ByteBuf out = Unpooled.buffer();
    pattern.write(out, person, operation);
    return out.toString(UTF_8);
  }

  private static TextPattern read(String pattern, String... generators) {
    return new PatternReader(null, List.of(generators)).read("--filter", pattern);
  }

  private static List<String> texts(TextPattern pattern, int count) {
    List<String> texts = new ArrayList<>();
    for (int operation = 0; operation < count; operation++) {
      texts.add(text(pattern, 0, operation));
    }
    return texts;
  }

  /** The SDK itself says what it makes of a pattern, where chance does not matter. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "user.[1:5]",
        "a[5:1]b",
        "[10:30x10]",
        "[1:3%0000]-[ref:1]",
        "[[x]] [7:7] [ref:1]",
        "(uid=user.[0:2])"
      })
  void shouldReadSequencesAsTheSdkDoes(String pattern) throws Exception {
    ValuePattern sdk = new ValuePattern(pattern);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      expected.add(sdk.nextValue());
    }
    assertThat(texts(read(pattern), 12)).isEqualTo(expected);
  }

  @Test
  void shouldStayInRangesAndReachTheirEnds(@TempDir Path folder) throws Exception {
    Path names = Files.writeString(folder.resolve("names"), "ann\nbob\n");
    assertThat(new HashSet<>(texts(read("[3-5]"), 200))).containsExactlyInAnyOrder("3", "4", "5");
    assertThat(new HashSet<>(texts(read("{rand(3,5)}"), 200))).hasSize(3);
    assertThat(new HashSet<>(texts(read("[-1-1]"), 200))).containsExactlyInAnyOrder("-1", "0", "1");
    assertThat(texts(read("[08:11]"), 5)).containsExactly("08", "09", "10", "11", "08");
    assertThat(new HashSet<>(texts(read("[file:" + names + "]"), 100))).hasSize(2);
    assertThat(texts(read("[sequential:" + names + "]"), 3)).containsExactly("ann", "bob", "ann");
    assertThat(texts(read("{inc(" + names + ")}"), 3)).containsExactly("ann", "bob", "ann");
    assertThat(texts(read("[random:6]"), 50)).allMatch(text -> text.matches("[a-z]{6}"));
    assertThat(texts(read("[random:3:ä]"), 2)).containsOnly("äää");
    assertThat(texts(read("{randstr(4,[0-9]_)}"), 50)).allMatch(text -> text.matches("[0-9_]{4}"));
    Set<String> ids = new HashSet<>(texts(read("{uuid}"), 500));
    assertThat(ids)
        .hasSize(500)
        .allMatch(id -> java.util.UUID.fromString(id).version() == 4 && id.length() == 36);
  }

  @Test
  void shouldDrawByWeight() {
    List<String> drawn = texts(read("{pick(a=9,b=1)}"), 10_000);

    assertThat(drawn.stream().filter("b"::equals).count()).isBetween(800L, 1200L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(uid=user.%d)|(uid=user.0)",
        "%2$s-%1$s|5-0",
        "{2}{1}|50",
        "100%% of %s|100% of 0",
        "%03d|000"
      })
  void shouldReadConversionsOfGenerators(String pattern, String expected) {
    assertThat(text(read(pattern, "inc(0,9)", "inc(5,9)"), 0, 0)).isEqualTo(expected);
  }

  @Test
  void shouldTakePercentSignsLiterallyWithoutGenerators() {
    assertThat(text(read("100%d {{x}} [[y]]"), 0, 0)).isEqualTo("100%d {x} [y]");
  }

  @Test
  void shouldCountPeopleOfEveryCombination() {
    PatternReader reader = new PatternReader(null, List.of("rand(1,4)"));
    TextPattern people = reader.people("--values", "[0-2].%d.{pick(a,b)}");
    assertThat(reader.count()).isEqualTo(24);
    Set<String> all = new HashSet<>();
    for (int person = 0; person < 24; person++) {
      all.add(text(people, person, 77));
    }
    assertThat(all).hasSize(24);
    TextPattern again = reader.read("--filter", "(x={1})");
    assertThat(text(again, 3, 5)).isEqualTo("(x=2)");
    assertThat(text(people, 3, 9)).isEqualTo("0.2.a");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{nothing}|--filter must be a text with {n}, {op}, {uuid}, {rand(1,9)} and the like;",
        "[x]|--filter must be a text with [1-1000], [1:1000], [file:PATH],",
        "(uid=[1-9|--filter must be a text in which '[' is closed, or written twice",
        "{1}|--filter must be a text that asks for no more generators than there are options -g (0)",
        "{rnd(1,2)}|--filter must be one of rand, inc, randstr and pick before the parenthesis",
        "[ref:1]|--filter must be a text in which [ref:1] and the like come behind",
        "{pick(a=0)}|--filter must be a text with weights of 1 or above",
        "{randstr(99999)}|--filter must be a text with at most 65536 random characters",
        "[0-9223372036854775]|--filter must be a range of fewer than 2147483647 numbers"
      })
  void shouldExplainMistakes(String pattern, String sentence) {
    assertThatThrownBy(() -> read(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(sentence)
        .hasMessageEndingWith(", not " + pattern);
  }

  /** Any text is a pattern with the same text each time, or refused in a sentence. */
  @ParameterizedTest
  @ValueSource(strings = {"{}(),nrandicpkstrop123", "[]:-%0x#randomefilqusgtd19", "%ds$0{}19 a"})
  void shouldReadOrRefuseEveryText(String alphabet) {
    long seed = new SplittableRandom().nextLong();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    String[] pieces = {
      "{rand(",
      "{inc(1,",
      "[1-",
      "[random:",
      "{pick(a=",
      "[ref:1]",
      "{randstr(",
      "%1$s",
      "%d",
      "{1}"
    };
    for (int i = 0; i < 20_000; i++) {
      StringBuilder made = new StringBuilder();
      for (int length = random.nextInt(12); length >= 0; length--) {
        made.append(
            random.nextInt(4) == 0
                ? pieces[random.nextInt(pieces.length)]
                : String.valueOf(alphabet.charAt(random.nextInt(alphabet.length()))));
      }
      String pattern = made.toString();
      try {
        TextPattern read = read(pattern, "rand(0,9)");
        int operation = random.nextInt(1000);
        assertThat(text(read, 3, operation)).as(pattern).isEqualTo(text(read, 3, operation));
      } catch (IllegalArgumentException e) {
        assertThat(e).as(pattern).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThat(e.getMessage())
            .as(pattern)
            .startsWith("--filter must be ")
            .doesNotContain("Exception", "null");
      } catch (java.io.UncheckedIOException e) {
        assertThat(pattern).as("a file that is not there").containsAnyOf("rand", "inc", "file");
      }
    }
  }

  /** Literal text comes back, whatever is in it. */
  @Test
  void shouldKeepLiteralText() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      StringBuilder literal = new StringBuilder();
      for (int length = random.nextInt(9); length >= 0; length--) {
        literal.append("ab{}[]%ü\\ ,=".charAt(random.nextInt(12)));
      }
      String text = literal.toString();
      String doubled = text.replaceAll("[\\[\\]{}]", "$0$0");
      assertThat(text(read(doubled), 0, i)).isEqualTo(text);
    }
  }

  @Test
  void shouldEscapeValuesInNames() {
    TextPattern dn = read("cn={pick(a\\,b)},ou=x").escaped();
    assertThat(dn.rdn().parts()).hasSize(2);
    PatternReader reader =
        new PatternReader(new Table(List.of("name"), List.of(List.of("Doe, Jane #1 "))), List.of());
    assertThat(reader.read("--person-dn", "cn={name},ou=x").escaped().text(0))
        .isEqualTo("cn=Doe\\, Jane #1\\ ,ou=x");
    assertThat(reader.read("--person-dn", "{name}").escaped().text(0)).isEqualTo("Doe, Jane #1 ");
  }

  @Test
  void shouldFindTheValuesOfNames() {
    for (String[] name :
        new String[][] {
          {"uid=ann,ou=x", "ann"},
          {"cn=Doe\\, Jane,ou=x", "Doe, Jane"},
          {"cn=Doe\\2C Jane\\C3\\A9,ou=x", "Doe, Janeé"},
          {"cn=a\\\\b\\ ", "a\\b "},
          {"cn=ende\\", "ende\\"}
        }) {
      Table table = new Table(List.of("dn"), List.of(List.of(name[0])));
      TextPattern dn = new PatternReader(table, List.of()).read("--names", "{dn}");
      assertThat(dn.rdnValue().text(0)).isEqualTo(name[1]);
      assertThat(dn.rdn().text(0) + dn.parent().text(0)).isEqualTo(name[0]);
    }
  }

  @Test
  void shouldReadNamesAndPasswordsInTheirUsualForms(@TempDir Path folder) throws Exception {
    String[] files = {
      "uid=ann,ou=x,secret 1\nuid=bob,ou=x,secret 2\n",
      "\"uid=ann,ou=x\",secret 1\n\"uid=bob,ou=x\",secret 2\n",
      "uid=ann,ou=x\tsecret 1\nuid=bob,ou=x\tsecret 2\n",
      "dn;userPassword\nuid=ann,ou=x;secret 1\nuid=bob,ou=x;secret 2\n",
      "password,dn\nsecret 1,\"uid=ann,ou=x\"\nsecret 2,\"uid=bob,ou=x\"\n"
    };
    for (String content : files) {
      Table table = Table.read(Files.writeString(folder.resolve("people"), content), "uid", false);
      PatternReader reader = new PatternReader(table, List.of());
      assertThat(table.rows()).as(content).isEqualTo(2);
      String columns =
          "{" + table.dn().orElseThrow() + "}/{" + table.password().orElseThrow() + "}";
      assertThat(reader.read("--names", columns).text(1))
          .as(content)
          .isEqualTo("uid=bob,ou=x/secret 2");
    }
    Table plain =
        Table.read(Files.writeString(folder.resolve("people"), "ann;a\"b\nbob;c\n"), "uid", false);
    assertThat(plain.columns()).containsExactly("uid", "password");
    assertThat(new PatternReader(plain, List.of()).read("x", "{password}").text(0))
        .isEqualTo("a\"b");
    Path commas = Files.writeString(folder.resolve("commas"), "Doe, Ann\nBob\n");
    assertThat(Table.read(commas, "cn", true).rows()).isEqualTo(2);
    assertThatThrownBy(
            () ->
                Table.read(Files.writeString(folder.resolve("odd"), "a;b\nc;d;e\n"), "uid", false))
        .hasMessageContaining("--names must be a file whose rows have as many columns as the first")
        .hasMessageEndingWith("whose row 2 has 3");
  }
}
