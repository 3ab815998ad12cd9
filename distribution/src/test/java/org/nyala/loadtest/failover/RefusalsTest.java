package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;

/** Checks histories with refusals that are right, and such that follow from old entries. */
final class RefusalsTest {
  private static final int SHARED = 0;
  private static final int OWN = 1;
  private final History history = new History(List.of("ldap://a", "ldap://b"), 1);

  private RefusalsTest then(
      Kind kind, int server, int entry, int number, long start, long end, int code) {
    history.operations().begin(kind, server, entry, number, start);
    history.operations().end(end, Client.outcome(code), code);
    return this;
  }

  private List<Integer> wrong() {
    history.index();
    return Refusals.of(history, Map.of(8, 7, 9, 7)).wrong();
  }

  @Test
  void shouldFindRefusalsOfChangesThatNoEntryForbids() {
    then(Kind.ADD, 0, OWN, 1, 1, 2, 0)
        .then(Kind.WRITE, 1, OWN, 2, 3, 4, 32)
        .then(Kind.WRITE, 1, OWN, 3, 5, 6, 51)
        .then(Kind.WRITE, 1, OWN, 4, 7, 8, 0)
        .then(Kind.WRITE, 0, OWN, 5, 9, 10, 16)
        .then(Kind.DELETE, 0, OWN, 6, 11, 12, 52)
        .then(Kind.DELETE, 0, OWN, 7, 13, 14, 32);
    assertThat(wrong()).containsExactly(1, 4);
  }

  @Test
  void shouldFindReadsThatDoNotShowTheOwnChange() {
    then(Kind.ADD, 0, OWN, 1, 1, 2, 0)
        .then(Kind.READ, 0, OWN, Operations.ABSENT, 3, 4, 32)
        .then(Kind.WRITE, 0, OWN, 2, 5, 6, 0)
        .then(Kind.READ, 1, OWN, 1, 7, 8, 0);
    history.operations().end(8, Outcome.DONE, 0);
    // A read that finds nothing is answered, too.
    Operations all = new Operations();
    all.begin(Kind.READ, 0, OWN + 1, Operations.ABSENT, 3);
    all.end(4, Outcome.DONE, 32);
    all.begin(Kind.ADD, 0, OWN + 1, 5, 5);
    all.end(6, Outcome.DONE, 0);
    all.begin(Kind.READ, 0, OWN + 1, Operations.ABSENT, 7);
    all.end(8, Outcome.DONE, 32);
    history.operations().take(all);
    assertThat(wrong()).containsExactly(6);
  }

  @Test
  void shouldFindFailedAssertionsAboutWhatIsThere() {
    then(Kind.WRITE, 0, SHARED, 7, 1, 2, 0).then(Kind.WRITE, 1, SHARED, 8, 3, 5, 122);
    assertThat(wrong()).containsExactly(1);
    then(Kind.WRITE, 0, SHARED, 6, 4, 6, 0);
    assertThat(wrong()).isEmpty();
  }

  @Test
  void shouldAllowForChangesWithoutAnAnswer() {
    then(Kind.WRITE, 0, SHARED, 5, 0, 1, 52)
        .then(Kind.WRITE, 0, SHARED, 7, 2, 3, 0)
        .then(Kind.WRITE, 1, SHARED, 8, 4, 5, 122);
    assertThat(wrong()).isEmpty();
    long later = 30_000_000_000L;
    then(Kind.WRITE, 0, SHARED, 7, later, later + 1, 0)
        .then(Kind.WRITE, 1, SHARED, 9, later + 2, later + 3, 122);
    assertThat(wrong()).isEmpty();
  }
}
