package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.replica.ReplicaPhase;
import org.nyala.core.replica.ReplicaProgress;
import org.nyala.core.replica.SyncMessage;
import org.nyala.replica.Synchronization.AliveCheck;

/** The signs of life of a provider over time, and what they tell of the copy. */
class AliveCheckTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final CsnVector OLD = vector(1);
  private static final CsnVector NEW = vector(2);

  private final Deque<Runnable> questions = new ArrayDeque<>();
  private final AliveCheck check = new AliveCheck(60_000, 30_000, 0);

  private static CsnVector vector(int micros) {
    return CsnVector.EMPTY.with(new Csn(micros, 0, 1, 0));
  }

  private boolean look(long seconds) throws LDAPException {
    return check.look(questions::add, seconds * SECOND);
  }

  @Test
  void asksAfterSilenceAndIsContentWithAnyAnswer() throws Exception {
    assertThat(look(59)).isFalse();
    assertThat(questions).isEmpty();
    assertThat(look(60)).isFalse();
    assertThat(look(61)).isFalse();
    assertThat(questions).hasSize(1);
    questions.remove().run();
    assertThat(look(200)).isTrue();
    assertThat(look(259)).isFalse();
    assertThat(questions).isEmpty();
    assertThat(look(260)).isFalse();
    assertThat(questions).hasSize(1);
  }

  @Test
  void neverAsksIfItIsOff() throws Exception {
    AliveCheck off = new AliveCheck(0, 30_000, 0);
    assertThat(off.look(questions::add, 1_000_000 * SECOND)).isFalse();
    assertThat(off.look(questions::add, 2_000_000 * SECOND)).isFalse();
    assertThat(questions).isEmpty();
  }

  @Test
  void aMessageIsASignOfLifeToo() throws Exception {
    assertThat(look(60)).isFalse();
    check.message(80 * SECOND);
    assertThat(look(109)).isFalse();
    assertThatThrownBy(() -> look(110))
        .isInstanceOf(LDAPException.class)
        .hasMessageContaining("no sign of life");
  }

  private static ReplicaProgress progress(ReplicaPhase phase, CsnVector csns, int queued) {
    return new ReplicaProgress(phase, csns, 0, 0, queued, 0, 0);
  }

  @Test
  void aCopyIsAsFreshAsTheLastSignBeforeWhichNothingIsLeft() {
    Freshness freshness = new Freshness(SECOND);
    assertThat(freshness.staleSeconds(9 * SECOND)).isEqualTo(8);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(-1);
    freshness.sign(SECOND);
    freshness.look(progress(ReplicaPhase.REFRESHING, OLD, 0), true);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(-1);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 0), true);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(8);
    // The queues are never empty from here on.
    freshness.message(new SyncMessage.NewCookie(SyncCookie.of(NEW)), 5 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 1), false);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(8);
    freshness.message(new SyncMessage.IdSet(List.of(), false), 7 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, NEW, 1), false);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(4);
    assertThat(freshness.isSilent(9 * SECOND, 2 * SECOND)).isFalse();
    assertThat(freshness.isSilent(10 * SECOND, 2 * SECOND)).isTrue();
    freshness.disconnected();
    assertThat(freshness.isSilent(10 * SECOND, 2 * SECOND)).as("there is no line").isFalse();
    freshness.look(progress(ReplicaPhase.FOLLOWING, NEW, 0), true);
    assertThat(freshness.lagSeconds(605 * SECOND)).isEqualTo(600);
    assertThat(freshness.staleSeconds(605 * SECOND)).isEqualTo(600);
    freshness.resumed(600 * SECOND);
    assertThat(freshness.lagSeconds(605 * SECOND)).isEqualTo(600);
    assertThat(freshness.staleSeconds(605 * SECOND)).isEqualTo(5);
  }

  /** Its provider has everything of its own as of some time before it says so. */
  @Test
  void aCopyOfACopyIsNoFresherThanThat() {
    Freshness freshness = new Freshness(SECOND);
    freshness.provider(5);
    freshness.sign(10 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 0), true);
    assertThat(freshness.lagSeconds(12 * SECOND)).isEqualTo(7);
    freshness.provider(SyncCookie.UNKNOWN_LAG);
    freshness.sign(20 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 0), true);
    assertThat(freshness.lagSeconds(22 * SECOND)).isEqualTo(17);
    assertThat(freshness.isOfWholeProvider()).isFalse();
    assertThat(freshness.isSilent(22 * SECOND, 3 * SECOND)).as("its line is good").isFalse();
    // It has got everything that it passes on.
    freshness.message(new SyncMessage.NewCookie(SyncCookie.of(NEW)), 25 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, NEW, 0), true);
    assertThat(freshness.lagSeconds(26 * SECOND)).isEqualTo(1);
    assertThat(freshness.isOfWholeProvider()).isTrue();
  }

  /** As slapd sends them with changes that come before smaller numbers. */
  @Test
  void aCookieWithoutNumbersSaysNothingAboutWhatIsReached() {
    Freshness freshness = new Freshness(SECOND);
    freshness.message(new SyncMessage.NewCookie(SyncCookie.of(CsnVector.EMPTY)), 2 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 1), false);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(-1);
    // Nor is it awaited instead of the next one that has numbers.
    freshness.message(new SyncMessage.NewCookie(SyncCookie.of(CsnVector.EMPTY)), 3 * SECOND);
    freshness.message(new SyncMessage.NewCookie(SyncCookie.of(NEW)), 5 * SECOND);
    freshness.look(progress(ReplicaPhase.FOLLOWING, OLD, 1), false);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(-1);
    freshness.look(progress(ReplicaPhase.FOLLOWING, NEW, 1), false);
    assertThat(freshness.lagSeconds(9 * SECOND)).isEqualTo(4);
  }
}
