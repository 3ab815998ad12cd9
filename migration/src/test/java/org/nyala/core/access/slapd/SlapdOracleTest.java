package org.nyala.core.access.slapd;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.access.rule.NaiveInterpreter;
import org.nyala.core.access.rule.NaiveInterpreter.Client;
import org.nyala.core.access.rule.NaiveInterpreter.Question;
import org.nyala.core.access.rule.PlainDirectory;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/**
 * Compares random rules of slapd, decided by its own program, with the imported ones, decided by
 * the book: alike where everything could be said, never more rights where something could not, or
 * where a user's RDN has several values.
 */
class SlapdOracleTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final int CONFIGURATIONS = Integer.getInteger("nyala.access.imports", 24);
  private static final int CLIENTS = 2;

  private final PlainDirectory directory = new PlainDirectory(SCHEMA, RandomSlapdRules.ENTRIES);

  @TempDir Path folder;

  /** The number of rights that are given although something could not be said. */
  private int given;

  @Test
  void shouldGiveTheSameRights() throws Exception {
    int inFull = compare(false);

    // Three quarters are on average.
    assertThat(inFull).isGreaterThan(CONFIGURATIONS / 4);
  }

  @Test
  void shouldNotGiveMoreWherePartsCannotBeSaid() throws Exception {
    int inFull = compare(true);

    assertThat(inFull).isLessThan(CONFIGURATIONS);
    assertThat(given).as("rights where something could not be said").isPositive();
  }

  /** Returns for how many configurations everything was said. */
  private int compare(boolean isOdd) throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Slapd slapd = new Slapd(folder, RandomSlapdRules.SUFFIX, RandomSlapdRules.ENTRIES);
    int inFull = 0;
    for (int i = 0; i < CONFIGURATIONS; i++) {
      RandomSlapdRules rules = new RandomSlapdRules(random.nextLong(), isOdd);
      String text = slapd.configuration(rules.rules(2), rules.rules(4));
      Path conf = Files.writeString(folder.resolve("slapd.conf"), text);
      ImportedRules imported = SlapdImport.read(conf, SCHEMA);
      inFull += imported.unsaid().isEmpty() ? 1 : 0;
      for (int j = 0; j < CLIENTS; j++) {
        compare(slapd, conf, imported, rules, "-Dtest.seed=" + seed + "\n" + text);
      }
    }
    return inFull;
  }

  private void compare(
      Slapd slapd, Path conf, ImportedRules imported, RandomSlapdRules rules, String about)
      throws Exception {
    NaiveInterpreter interpreter =
        new NaiveInterpreter(imported.rules(), directory).withoutSecrets();
    Client client = rules.client();
    List<Question> questions = rules.questions();
    List<Set<Right>> before = slapd.rights(conf, client, questions);
    for (int i = 0; i < before.size(); i++) {
      Question question = questions.get(i);
      Set<Right> now = EnumSet.noneOf(Right.class);
      now.addAll(interpreter.answer(client, question).rights());
      String shown =
          about
              + "\n"
              + imported.text()
              + "\n"
              + client
              + "\n"
              + question.entry().name()
              + " "
              + question.attribute()
              + " "
              + question.value();
      if (now.remove(Right.INCREMENT)) {
        assertThat(before.get(i)).as(shown).contains(Right.ADD, Right.REMOVE);
      }
      boolean isSaid = !client.name().equals(RandomSlapdRules.SEVERAL);
      if (isSaid && imported.unsaid().isEmpty()) {
        assertThat(now).as(shown).isEqualTo(before.get(i));
      } else {
        assertThat(before.get(i)).as(shown).containsAll(now);
        given += now.size();
      }
    }
  }
}
