package org.nyala.core.access.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/** The properties of decisions besides their being right: sharing and bounds of what is kept. */
class SharedDecisionsTest extends DecisionFixture {
  private static final String RULES_OF_THREADS =
      """
      to where (sn=a*) attributes mail, description
        users may read
      to attributes userPassword, member
        self may write
        users may add value self
      to all
        listed in owner may write
        users may search
      """;

  @Test
  void shouldShareTheAnswersAmongEntriesAndOperations() {
    DecidedRules rules =
        rules(
            """
            to subtree "ou=people,dc=example,dc=com" attributes mail
              users may read
            to attributes userPassword
              self may write
            to all
              users may read
            """,
            ANN);
    EntryAccess access = access(rules);
    RuledProfile bob = profile(access, BOB);
    for (int i = 0; i < 100; i++) {
      assertThat(profile(access, "uid=u" + i + "," + PEOPLE)).isSameAs(bob);
      assertThat(profile(access, "cn=c,uid=u" + i + "," + PEOPLE))
          .isSameAs(profile(access, bobs()));
    }
    assertThat(profile(access(rules), BOB)).isSameAs(bob);
    RuledProfile ann = profile(access, "UID=Ann," + PEOPLE);
    assertThat(ann).isNotSameAs(bob);
    assertThat(ann.onValues(description("userPassword"), Right.ADD)).isEqualTo(Answer.GRANTED);
    assertThat(bob.onValues(description("userPassword"), Right.ADD)).isEqualTo(Answer.DENIED);
    assertThat(access.tests()).isZero();
    boolean[] granted = bob.granted(samples.table(), Right.READ);
    assertThat(granted).isSameAs(bob.granted(samples.table(), Right.READ));
    assertThat(granted[samples.number(description("cn"))]).isTrue();
    assertThat(bob.mayDependOnValues()).isFalse();
    assertThat(bob.depending(samples.table(), Right.READ)).isNull();
  }

  private static String bobs() {
    return "cn=c," + BOB;
  }

  @Test
  void shouldShareTheAnswersAmongEntriesThatPassTheSameTests() {
    DecidedRules rules =
        rules(
            """
            to where (sn=a*) attributes mail
              users may read
            to all
              listed in owner may write
              users may search
            """,
            ANN);
    EntryAccess access = access(rules);
    Set<RuledProfile> profiles = new HashSet<>();
    for (int i = 0; i < 40; i++) {
      Map<String, List<String>> attributes = new HashMap<>();
      attributes.put("sn", List.of(i % 2 == 0 ? "ab" : "b" + i));
      attributes.put("owner", List.of(i % 4 < 2 ? ANN : BOB));
      profiles.add(profile(access, new PlainEntry("uid=u" + i + "," + PEOPLE, attributes)));
    }
    assertThat(profiles).hasSize(4);
    assertThat(access.tests()).isGreaterThan(40);
  }

  @Test
  void shouldKeepABoundedNumberOfAnswers() {
    StringBuilder text = new StringBuilder();
    List<String> attributes = List.of("cn", "sn", "mail", "title", "ou", "l", "st", "street", "o");
    for (String attribute : attributes) {
      text.append("to where (description=").append(attribute).append(") attributes ");
      text.append(attribute).append("\n users may read\n");
    }
    DecidedRules rules = rules(text + "to all\n users may search\n", ANN);
    EntryAccess access = access(rules);
    Set<RuledProfile> profiles = new HashSet<>();
    for (int i = 0; i < 2 << attributes.size(); i++) {
      int subset = i;
      List<String> values =
          IntStream.range(0, attributes.size())
              .filter(bit -> (subset >> bit & 1) != 0)
              .mapToObj(attributes::get)
              .toList();
      PlainEntry entry =
          entry("uid=u," + PEOPLE, "description", ("x " + String.join(" ", values)).split(" "));
      RuledProfile profile = profile(access, entry);
      profiles.add(profile);
      for (String attribute : attributes) {
        assertThat(Rights.has(profile.rights(description(attribute)), Right.READ))
            .isEqualTo(values.contains(attribute));
      }
    }
    assertThat(rules.hasRoom()).isFalse();
    assertThat(profiles).hasSizeGreaterThan(1 << attributes.size());
  }

  @Test
  void shouldAskForAGroupOnceForAllEntriesItIsAbout() {
    String text =
        """
        to subtree "uid={u},ou=people,dc=example,dc=com"
          group "cn={u},ou=deputies,dc=example,dc=com" may read
        """;
    EntryAccess access = access(rules(text, "cn=agent,dc=com"));
    assertThat(profile(access, ANN).allowsEntry(Right.READ)).isTrue();
    assertThat(profile(access, BOB).allowsEntry(Right.READ)).isFalse();
    for (int i = 0; i < 10; i++) {
      assertThat(profile(access, "cn=c" + i + "," + ANN).allowsEntry(Right.READ)).isTrue();
    }
    assertThat(asked)
        .containsExactly(
            "cn=ann,ou=deputies,dc=example,dc=com", "cn=bob,ou=deputies,dc=example,dc=com");
  }

  @Test
  void shouldAnswerForEachTableOfAttributes() {
    RuledProfile profile = profile(access(rules("to attributes cn\n users may read\n", ANN)), BOB);
    AttributeTable one = AttributeTable.EMPTY.with(description("cn")).with(description("sn"));
    AttributeTable other = AttributeTable.EMPTY.with(description("sn")).with(description("cn"));
    for (int i = 0; i < 3; i++) {
      assertThat(profile.granted(one, Right.READ)).containsExactly(false, true, false);
      assertThat(profile.granted(other, Right.READ)).containsExactly(false, false, true);
      assertThat(profile.onValues(one, 2, Right.READ)).isEqualTo(Answer.DENIED);
    }
  }

  @Test
  void shouldAnswerSeveralThreadsAlike() {
    DecidedRules rules = rules(RULES_OF_THREADS, ANN);
    List<PlainEntry> entries =
        IntStream.range(0, 200)
            .mapToObj(i -> i % 7 == 0 ? ANN : "uid=u" + i + "," + PEOPLE)
            .map(name -> entry(name, name.length() % 2 == 0 ? "sn" : "owner", ANN, "ab"))
            .toList();
    List<String> expected = new ArrayList<>();
    entries.forEach(
        each -> expected.add(shown(profile(access(rules(RULES_OF_THREADS, ANN)), each))));
    List<List<String>> found =
        IntStream.range(0, 8)
            .parallel()
            .mapToObj(_ -> new SharedDecisionsTest().shown(rules, entries))
            .toList();
    assertThat(found).allSatisfy(each -> assertThat(each).isEqualTo(expected));
  }

  /** The memory of answers does not depend on the number of threads that have asked for them. */
  @Test
  void shouldCountOnceWhatSeveralThreadsFindOut() throws Exception {
    List<PlainEntry> entries =
        IntStream.range(0, 6)
            .mapToObj(i -> entry("uid=u" + i + "," + PEOPLE, i % 2 == 0 ? "sn" : "owner", ANN))
            .toList();
    DecidedRules alone = rules(RULES_OF_THREADS, ANN);
    shown(alone, entries);
    for (int round = 0; round < 500; round++) {
      DecidedRules rules = rules(RULES_OF_THREADS, ANN);
      CountDownLatch ready = new CountDownLatch(4);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SharedDecisionsTest own = new SharedDecisionsTest();
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      ready.countDown();
                      Patience.await(ready);
                      own.shown(rules, entries);
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(rules.bytes()).as("round %d", round).isEqualTo(alone.bytes());
    }
  }

  private List<String> shown(DecidedRules rules, List<PlainEntry> entries) {
    EntryAccess access = access(rules);
    return entries.stream().map(each -> shown(profile(access, each))).toList();
  }

  private String shown(RuledProfile profile) {
    StringBuilder shown = new StringBuilder();
    for (String attribute : List.of("mail", "sn", "description", "userPassword", "member")) {
      int id = samples.number(description(attribute));
      shown.append(profile.rights(samples.table(), id)).append(' ');
      shown.append(profile.onValues(samples.table(), id, Right.ADD)).append(' ');
    }
    return shown.append(profile.entryRights()).toString();
  }

  @Test
  void shouldHoldAnswersInOneNumber() {
    assertThat(3 * Rights.BITS).isLessThan(Integer.SIZE);
  }
}
