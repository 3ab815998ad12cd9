package org.nyala.core.operation.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.ANN;
import static org.nyala.core.operation.UpdateFixture.LEAF;
import static org.nyala.core.operation.UpdateFixture.await;
import static org.nyala.core.operation.UpdateFixture.change;
import static org.nyala.core.operation.UpdateFixture.delete;
import static org.nyala.core.operation.UpdateFixture.modify;
import static org.nyala.core.operation.UpdateFixture.rename;
import static org.nyala.core.operation.update.RuledDirectory.ADMINS;
import static org.nyala.core.operation.update.RuledDirectory.BOB;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.Patience;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.GatedBackend;
import org.nyala.core.operation.RecordingSink;
import org.nyala.core.session.OperationFixture;

/** Tests that rights are those of the moment at which an update has its turn. */
class RuledTurnTest {
  private static final int FREE = 1_000_000;
  private static final String BY_GROUP =
      "to all\n  group \"" + ADMINS + "\" may read, write\n  users may read";

  private final RuledDirectory ruled = new RuledDirectory();
  private final GatedBackend store = new GatedBackend(ruled.directory.store);

  @BeforeEach
  void gate() {
    ruled.directory.backend = store;
    ruled.rules(BY_GROUP);
  }

  @AfterEach
  void close() {
    store.commits.release(FREE);
    ruled.close();
  }

  private RecordingSink start(BoundIdentity as, Request request) {
    ruled.directory.identity = as;
    RecordingSink sink = new RecordingSink(100);
    ruled.directory.start(request, sink);
    return sink;
  }

  private RecordingSink start(String user, Request request) {
    return start(RuledDirectory.identity(user), request);
  }

  private RecordingSink asRoot(Request request) {
    return start(OperationFixture.ROOT, request);
  }

  /** Keeps the writer busy, so that all further changes go into one batch. */
  private void occupyWriter() {
    RecordingSink _ = asRoot(modify(LEAF, change(2, "description", "busy")));
    Patience.await(store.committing);
  }

  private static Request describe(String text) {
    return modify(LEAF, change(2, "description", text));
  }

  private ResultCode released(RecordingSink sink) {
    store.commits.release(FREE);
    await(sink);
    return sink.code();
  }

  @Test
  void shouldDecideByGroupsAsTheUpdateBeforeHasChangedThem() {
    store.commits.release(FREE);
    assertThat(ruled.code(BOB, describe("by bob"))).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.asRoot(modify(ADMINS, change(2, "member", ANN))))
        .isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.code(BOB, describe("again"))).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ruled.code(ANN, describe("by ann"))).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldSeeGroupsAsTheyAreInTheSameCommit() {
    occupyWriter();
    final RecordingSink removed = asRoot(modify(ADMINS, change(2, "member", ANN)));
    final RecordingSink bob = start(BOB, describe("by bob"));
    final RecordingSink ann = start(ANN, describe("by ann"));
    final RecordingSink gone = asRoot(delete(ADMINS));
    RecordingSink late = start(ANN, describe("late"));
    assertThat(released(late)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(removed.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(bob.code()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(ann.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(gone.code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(ruled.directory.stored(LEAF).get("description")).containsExactly("by ann");
  }

  @Test
  void shouldSeeCapturedGroupsAsTheyAreInTheSameCommit() {
    ruled.rules(
        "to names \"ou={o},dc=example,dc=com\"",
        "  group \"cn={o},ou=groups,dc=example,dc=com\" may read, write",
        "to all",
        "  users may read");
    occupyWriter();
    final RecordingSink renamed = asRoot(rename(ADMINS, "cn=leaf", true));
    RecordingSink bob = start(BOB, describe("by bob"));
    assertThat(released(bob)).isEqualTo(ResultCode.SUCCESS);
    assertThat(renamed.code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldSeeEntriesAsTheyAreInTheSameCommit() {
    ruled.rules(
        "to all where (description=locked)\n  users may read", "to all\n  users may read, write");
    occupyWriter();
    final RecordingSink locked = asRoot(describe("locked"));
    RecordingSink ann = start(ANN, describe("by ann"));
    assertThat(released(ann)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
    assertThat(locked.code()).isEqualTo(ResultCode.SUCCESS);
  }

  @Test
  void shouldDecideByTheRulesOfTheMoment() {
    occupyWriter();
    RecordingSink bob = start(BOB, describe("by bob"));
    RecordingSink ann = start(ANN, describe("by ann"));
    ruled.rules("to all\n  entry \"" + ANN + "\" may read, write\n  users may read");
    assertThat(released(ann)).isEqualTo(ResultCode.SUCCESS);
    assertThat(bob.code()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
  }
}
