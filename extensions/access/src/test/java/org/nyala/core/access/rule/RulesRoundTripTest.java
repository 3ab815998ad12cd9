package org.nyala.core.access.rule;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** Random rules are read as they were written; random bytes are a fault at most. */
class RulesRoundTripTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final long SEED = Seeds.seed();
  private static final int TIMES = Integer.getInteger("nyala.test.rules", 2_000);

  private static final List<String> PIECES =
      List.of(
          "to",
          "all",
          "\n",
          "users",
          "may",
          "read",
          "write",
          "value",
          "self",
          ",",
          "and",
          "break",
          "subtree",
          "\"dc=x\"",
          "\"",
          "(",
          ")",
          "(cn=*)",
          "where",
          "attributes",
          "cn",
          "{u}",
          "#",
          "\\",
          "=",
          "zone",
          "people",
          "limit",
          "entries",
          "5",
          "::1",
          "from",
          "group",
          "names",
          "\"uid={u},dc=x\"",
          "@person",
          "but",
          "nested",
          "class",
          "\u0000",
          "é",
          "directly");

  private static AccessRules parse(String text) throws InvalidRulesException {
    return RulesParser.parse("r", text.getBytes(UTF_8), SCHEMA);
  }

  /** Returns the rules as if they had never been text, so that they are compared without places. */
  static AccessRules withoutSources(AccessRules rules) {
    return new AccessRules(
        rules.zones().stream().map(RulesRoundTripTest::withoutSource).toList(),
        rules.people().stream().map(RulesRoundTripTest::withoutSource).toList(),
        rules.steps().stream().map(RulesRoundTripTest::withoutSource).toList(),
        rules.limits().stream()
            .map(
                each ->
                    new LimitStatement(
                        withoutSources(each.conditions()), each.bounds(), Source.NONE))
            .toList());
  }

  private static Zone withoutSource(Zone zone) {
    List<Origin> origins =
        zone.origins().stream()
            .map(each -> each instanceof Zone inner ? withoutSource(inner) : each)
            .toList();
    return new Zone(zone.name(), origins, Source.NONE);
  }

  private static People withoutSource(People people) {
    return new People(people.name(), withoutSources(people.members()), Source.NONE);
  }

  private static Step withoutSource(Step step) {
    return switch (step) {
      case Delegation delegation -> new Delegation(delegation.subtree(), Source.NONE);
      case Rule rule ->
          new Rule(
              rule.target(),
              rule.clauses().stream()
                  .map(
                      each ->
                          new Clause(
                              withoutSources(each.conditions()),
                              each.grant(),
                              each.flow(),
                              Source.NONE))
                  .toList(),
              Source.NONE);
    };
  }

  private static List<Condition> withoutSources(List<Condition> conditions) {
    return conditions.stream()
        .map(
            each ->
                switch (each) {
                  case Condition.InPeople in -> new Condition.InPeople(withoutSource(in.people()));
                  case Condition.From(Zone zone) -> new Condition.From(withoutSource(zone));
                  default -> each;
                })
        .toList();
  }

  @Test
  void shouldReadWhatIsWritten() throws InvalidRulesException {
    RandomRules random = new RandomRules(SCHEMA, SEED);
    Set<String> starts = new HashSet<>();
    for (int i = 0; i < TIMES; i++) {
      AccessRules rules = random.next(6);
      String text = RulesPrinter.print(rules);
      assertThat(withoutSources(parse(text))).as("seed %s\n%s", SEED, text).isEqualTo(rules);
      text.lines().forEach(line -> starts.add(line.strip().split(" ", -1)[0]));
    }
    assertThat(starts)
        .as("seed %s", SEED)
        .contains("zone", "people", "to", "delegate", "limit", "all", "others", "self", "group");
  }

  @Test
  void shouldRefuseRandomBytesWithAPlace() {
    Random random = new Random(SEED);
    for (int i = 0; i < TIMES; i++) {
      byte[] bytes = new byte[random.nextInt(60)];
      random.nextBytes(bytes);
      assertHarmless(bytes);
    }
  }

  @Test
  void shouldSurviveRandomPieces() {
    Random random = new Random(SEED);
    for (int i = 0; i < TIMES; i++) {
      StringBuilder text = new StringBuilder(random.nextBoolean() ? "to all\nusers " : "");
      for (int j = random.nextInt(20); j > 0; j--) {
        text.append(PIECES.get(random.nextInt(PIECES.size()))).append(' ');
      }
      assertHarmless(text.toString().getBytes(UTF_8));
    }
  }

  @Test
  void shouldSurviveMutations() {
    Random random = new Random(SEED);
    RandomRules rules = new RandomRules(SCHEMA, SEED);
    int accepted = 0;
    for (int i = 0; i < TIMES; i++) {
      byte[] bytes = RulesPrinter.print(rules.next(2)).getBytes(UTF_8);
      accepted += assertHarmless(mutated(bytes, random)) ? 1 : 0;
    }
    assertThat(accepted).as("seed %s", SEED).isBetween(1, TIMES - 1);
  }

  private static byte[] mutated(byte[] bytes, Random random) {
    byte[] copy = bytes.clone();
    for (int j = random.nextInt(3); j >= 0 && copy.length > 0; j--) {
      int at = random.nextInt(copy.length);
      switch (random.nextInt(4)) {
        case 0 -> copy[at] = (byte) random.nextInt();
        case 1 -> copy[at] = (byte) "\"(),=\\{}#\n ".charAt(random.nextInt(11));
        case 2 -> copy = Arrays.copyOf(copy, at);
        default -> {
          int from = random.nextInt(copy.length);
          int length = Math.min(random.nextInt(20), copy.length - Math.max(at, from));
          System.arraycopy(copy, from, copy, at, length);
        }
      }
    }
    return copy;
  }

  /** Returns whether the bytes are rules; if so, they are the same after being written. */
  private static boolean assertHarmless(byte[] bytes) {
    String shown = "seed " + SEED + ": " + Arrays.toString(bytes);
    AccessRules rules;
    try {
      rules = RulesParser.parse("r", bytes, SCHEMA);
    } catch (InvalidRulesException e) {
      assertThat(e.source().line()).as(shown).isPositive();
      assertThat(e.getMessage()).as(shown).hasSizeLessThan(20_000);
      return false;
    } catch (RuntimeException | StackOverflowError e) {
      throw new AssertionError(shown, e);
    }
    String text = RulesPrinter.print(rules);
    try {
      assertThat(withoutSources(parse(text))).as(shown).isEqualTo(withoutSources(rules));
    } catch (InvalidRulesException e) {
      throw new AssertionError(shown + '\n' + text, e);
    }
    return true;
  }

  @Test
  void shouldTakeAFileApartInStepsThatItsLengthBounds() throws InvalidRulesException {
    Random random = new Random(SEED);
    for (String piece : List.of("a ", "a,", "\n", "# \n", "\"\" ", "(a) ", "\\\n", "=")) {
      String text = piece.repeat(1_000 + random.nextInt(1_000));
      RulesLexer lexer = new RulesLexer("r", text.getBytes(UTF_8));
      int steps = 0;
      Source before = new Source("r", 1, 0);
      for (Token token = lexer.next(); token.kind() != Token.Kind.END; token = lexer.next()) {
        Source source = token.source();
        boolean isLater =
            source.line() > before.line()
                || source.line() == before.line() && source.column() >= before.column();
        assertThat(isLater).isTrue();
        before = source;
        steps++;
      }
      assertThat(steps).as(piece).isLessThanOrEqualTo(text.length() + 1);
    }
  }
}
