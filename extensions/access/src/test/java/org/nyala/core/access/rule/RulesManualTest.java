package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Has the parser read the examples of the manual. */
class RulesManualTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final Path PAGE = Path.of("../../src-docs/access-rules.adoc");
  private static final Pattern EXAMPLE =
      Pattern.compile("^\\[\\.rules]\\n----\\n(.*?)^----$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern TERMINAL = Pattern.compile("\"([A-Za-z]+)\"");

  static List<String> examples() throws IOException {
    List<String> examples = new ArrayList<>();
    Matcher blocks = EXAMPLE.matcher(Files.readString(PAGE));
    while (blocks.find()) {
      examples.add(blocks.group(1));
    }
    return examples;
  }

  @Test
  void shouldHaveExamples() throws IOException {
    assertThat(examples()).hasSizeGreaterThan(5);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void shouldReadExamples(String example) throws InvalidRulesException {
    AccessRules rules = RulesParser.parse("example", example.getBytes(UTF_8), SCHEMA);

    assertThat(rules).isNotEqualTo(AccessRules.NONE);
  }

  @Test
  void shouldShowTheMessageAsItIs() throws IOException {
    String text = "\n".repeat(11) + "to attributes mial\n  users may read\n";

    assertThatThrownBy(() -> RulesParser.parse("access.rules", text.getBytes(UTF_8), SCHEMA))
        .satisfies(fault -> assertThat(Files.readString(PAGE)).contains(fault.getMessage()));
  }

  @Test
  void shouldNameEveryWordInTheGrammar() throws IOException {
    String page = Files.readString(PAGE);
    String grammar = page.substring(page.indexOf("[#access-grammar]"));
    List<String> words = new ArrayList<>();
    Matcher terminals = TERMINAL.matcher(grammar.substring(0, grammar.indexOf("`QUOTED`")));
    while (terminals.find()) {
      words.add(terminals.group(1));
    }
    for (Right right : Right.values()) {
      assertThat(words).contains(right.word());
    }
    for (Condition.Protection kind : Condition.Protection.values()) {
      assertThat(words).containsAnyOf(kind.word(), kind.word().isEmpty() ? "over" : kind.word());
    }
    for (Limit.Bound bound : Limit.Bound.values()) {
      assertThat(page).contains('`' + bound.word() + '`');
    }
    // No word with a meaning can be the name of people.
    for (String word : words) {
      String text = "people " + word + " = entry \"\"\nto all\n " + word + " may read\n";
      boolean isRight = Right.of(word) != null || word.equals("write");
      if (!isRight && !List.of("tls", "sasl", "transport", "unlimited").contains(word)) {
        assertThatThrownBy(() -> RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA))
            .as(word)
            .isInstanceOf(InvalidRulesException.class);
      }
    }
  }
}
