package org.nyala.core.access.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * Decides random questions by the keys {@code anonymousRead}, {@code writers} and {@code
 * selfPasswordChange}, and by the rules that the manual says they are short for.
 */
class ShortFormTest extends DecisionFixture {
  private static final long SEED = 20261126;
  private static final int QUESTIONS = 5_000;
  private static final Path MANUAL = Path.of("../../src-docs/access-rules.adoc");
  private static final Path SHIPPED = Path.of("../../distribution/src/packaging/conf/nyala.conf");
  private static final Pattern SHORT_FORM =
      Pattern.compile(
          "\\[#access-short-form].*?\\[\\.rules]\\n----\\n(.*?)^----$",
          Pattern.DOTALL | Pattern.MULTILINE);
  private static final String WRITER = "cn=writer," + TOP;
  private static final List<String> USERS = List.of("", ANN, BOB, WRITER);
  private static final List<String> ENTRIES = List.of(TOP, PEOPLE, ANN, BOB, WRITER);
  private static final List<String> ATTRIBUTES =
      List.of("cn", "userPassword", "member", "createTimestamp", "description;lang-en");

  private final Random random = new Random(SEED);

  private static String rulesOfManual() throws IOException {
    Matcher block = SHORT_FORM.matcher(Files.readString(MANUAL));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  /** Returns the rules as the manual says that values of the keys change them. */
  private static String rules(AccessPolicy keys) throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line : rulesOfManual().lines().toList()) {
      boolean isForWriters = line.strip().startsWith("writers") || line.startsWith("people");
      boolean isForSelf = line.strip().startsWith("self");
      if ((!isForWriters || !keys.writers().isEmpty())
          && (!isForSelf || keys.selfPasswordChange())) {
        String read = keys.anonymousRead() ? "all may read" : "users may read";
        text.append(line.replace("users may read", read)).append('\n');
      }
    }
    return text.toString();
  }

  private AccessPolicy randomKeys() {
    return new AccessPolicy(random.nextBoolean())
        .withSelfPasswordChange(random.nextBoolean())
        .withWriters(random.nextBoolean() ? Set.of(samples.dn(WRITER)) : Set.of());
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @Test
  void shouldBeTheSameInTheShippedFile() throws IOException {
    StringBuilder shipped = new StringBuilder();
    boolean isIn = false;
    for (String line : Files.readAllLines(SHIPPED)) {
      isIn = isIn || line.startsWith("    #   people writers");
      if (isIn && line.equals("  }")) {
        break;
      }
      if (isIn) {
        shipped.append(line.length() > 8 ? line.substring(8) : "").append('\n');
      }
    }
    assertThat(shipped.toString()).isEqualTo(rulesOfManual());
  }

  @Test
  void shouldDecideAlike() throws IOException {
    for (int i = 0; i < QUESTIONS; i++) {
      AccessPolicy keys = randomKeys();
      String user = one(USERS);
      ClientFacts facts = new ClientFacts(samples.dn(user), null, 0, 0, 71, "simple");
      DecidedRules rules =
          CompiledRules.of(parse(rules(keys)), Map.of(), SCHEMA, null)
              .forClient(facts, memberships(Set.of()));
      BoundIdentity identity = new BoundIdentity(samples.dn(user), false);
      String name = one(ENTRIES);
      RuledProfile profile = profile(access(rules), name);
      String question = "%d: %s by %s of %s".formatted(i, user, keys, name);
      AttributeDescription attribute = description(one(ATTRIBUTES));
      assertAlike(question, keys, identity, name, profile, attribute);
      assertThat(profile.rights(description("userPassword")) & Rights.of(Right.AUTHENTICATE))
          .as(question)
          .isEqualTo(identity.isAnonymous() ? Rights.of(Right.AUTHENTICATE) : 0);
    }
  }

  private void assertAlike(
      String question,
      AccessPolicy keys,
      BoundIdentity identity,
      String name,
      RuledProfile profile,
      AttributeDescription attribute) {
    boolean mayRead = keys.mayReadEntries(identity);
    for (Right right : List.of(Right.READ, Right.SEARCH)) {
      assertThat(profile.allowsEntry(right)).as(question).isEqualTo(mayRead);
      assertThat(profile.allowsChildren(right)).as(question).isEqualTo(mayRead);
      assertThat(Rights.has(profile.rights(attribute), right))
          .as("%s %s %s", question, right, attribute)
          .isEqualTo(mayRead && !attribute.type().isSecret());
    }
    boolean mayWrite = keys.mayWrite(identity, samples.dn(name));
    boolean mayChange =
        attribute.name().equals("userPassword")
            ? keys.mayChangePassword(identity, samples.dn(name))
            : mayWrite;
    for (Right right : Right.WRITE) {
      assertThat(profile.allowsEntry(right)).as(question).isEqualTo(mayWrite);
      assertThat(profile.allowsChildren(right)).as(question).isEqualTo(mayWrite);
      assertThat(Rights.has(profile.rights(attribute), right))
          .as("%s %s %s", question, right, attribute)
          .isEqualTo(mayChange);
    }
    assertThat(profile.allowsEntry(Right.MANAGE)).as(question).isFalse();
  }

  @Test
  void shouldLetEverybodyReadTheRootDseAndTheSchemaButNotMonitoring() throws IOException {
    for (String user : USERS) {
      EntryAccess access = access(rules(rules(randomKeys()), user));
      for (String name : List.of("", "cn=Subschema")) {
        RuledProfile profile = virtual(access, name);
        assertThat(profile.allowsEntry(Right.READ)).isTrue();
        assertThat(profile.rights(description("objectClass")))
            .matches(r -> Rights.has(r, Right.READ));
      }
      assertThat(virtual(access, "cn=Monitor").explain(Pseudo.ENTRY).rights()).isEmpty();
    }
  }

  private RuledProfile virtual(EntryAccess access, String name) {
    RuledProfile found = access.profile(samples.dn(name), Pace.UNBOUNDED);
    assertThat(found).isNotNull();
    return found;
  }
}
