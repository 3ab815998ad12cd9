package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.batch.BatchId;
import org.nyala.cluster.batch.FollowedNotes;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.contention.Contention;
import org.nyala.core.dn.Dn;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.ChangePolicy;
import org.nyala.core.update.ChangeWriter;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.ConsumedContexts;
import org.nyala.core.update.OperationalAttributes;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/** Two members on disk, whose log does what the test says. */
final class ReplicatedBackendTest {
  private static final Dn TOP = SimulatedStorage.TOP;
  private static final Dn AUTHOR = SimulatedStorage.dn("cn=admin,dc=example,dc=com");

  @TempDir Path directory;
  private final List<String> answers = new ArrayList<>();
  private Node one;
  private Node other;

  /** True once nothing can be stored any more. */
  private boolean isFull;

  private static final class Node implements ChangeListener, AutoCloseable {
    final SteeredLog log = new SteeredLog();
    final List<CommittedChange> heard = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<ExtendedSchema> definitions = new ArrayList<>();
    final List<FollowedNotes> notes = new ArrayList<>();
    final Backend inner;
    final ReplicatedBackend store;
    final ChangeWriter writer;

    Node(Backend inner, int serverId) {
      this.inner = inner;
      ClusterSettings settings =
          new ClusterSettings(
              1000,
              1 << 16,
              8,
              1 << 16,
              log,
              BatchId::random,
              ClusterSettings.Copying.NONE,
              definitions::add,
              notes::add,
              failures::add);
      store = new ReplicatedBackend(inner, SimulatedStorage.SCHEMA, settings);
      ChangePolicy policy =
          new ChangePolicy(
              List.of(),
              new OperationalAttributes(SimulatedStorage.SCHEMA),
              100,
              new ConsumedContexts());
      writer =
          ChangeWriter.start(
              store,
              new ChangeWriter.Settings(
                  64,
                  64,
                  serverId,
                  InstantSource.system(),
                  null,
                  new Random(1),
                  _ -> null,
                  () -> policy,
                  List.of(store, this),
                  CommitPacer.Source.UNPACED,
                  Contention.UNMEASURED));
      store.start(log, writer::submitAhead);
    }

    ReplicatedLog.Member member() {
      return store.member();
    }

    void leads(long term, long index) {
      member().passed(new LogPosition(term, index));
      member().leads(term);
    }

    void write(Update... updates) {
      for (Update each : updates) {
        assertThat(writer.submit(each)).isTrue();
      }
      assertThat(writer.writeInTurn()).isTrue();
    }

    /** Delivers an entry and has it applied, unless the writer waits. */
    void deliver(long term, long index, ByteBuffer entry) {
      member().committed(new LogPosition(term, index), entry.duplicate());
    }

    String description() {
      try (ReadTransaction read = inner.beginRead()) {
        return String.valueOf(Values.of(read, TOP, "description"));
      }
    }

    @Override
    public void committed(List<CommittedChange> changes) {
      heard.addAll(changes);
    }

    @Override
    public Images images() {
      return Images.BOTH;
    }

    @Override
    public void close() {
      writer.close();
      store.close();
    }
  }

  private class Change implements Update {
    private final String value;
    boolean hasRun;

    Change(String value) {
      this.value = value;
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      hasRun = true;
      AttributeChange change =
          new AttributeChange.Replaced(
              SimulatedStorage.description("description"), List.of(value.getBytes(UTF_8)));
      long id = context.transaction().find(TOP);
      context.apply(
          new ResolvedChange.Modify(TOP, id, List.of(change)),
          ChangeCause.of(new BoundIdentity(AUTHOR, false), false, false));
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      boolean isDone = result.code() == ResultCode.SUCCESS;
      answers.add(isDone ? "done" : result.code() + ": " + result.message());
    }
  }

  @BeforeAll
  static void shouldNotLogWhatIsMeantToHappen() {
    Logger.getLogger("org.nyala").setLevel(Level.OFF);
  }

  @BeforeEach
  void begin() throws Exception {
    Path first = Files.createDirectory(directory.resolve("first"));
    Path second = Files.createDirectory(directory.resolve("second"));
    SimulatedStorage.createLmdb(first);
    Files.copy(first.resolve("data.mdb"), second.resolve("data.mdb"));
    Backend opened = SimulatedStorage.openLmdb(first);
    one =
        new Node(
            new CrashingBackend(
                opened, this::requireSpace, _ -> requireSpace(), SimulatedFault.NONE),
            1);
    other = new Node(SimulatedStorage.openLmdb(second), 1);
  }

  @AfterEach
  void end() {
    one.close();
    other.close();
  }

  private void requireSpace() {
    if (isFull) {
      throw new StoreUnavailableException("the disk is full", null);
    }
  }

  private ByteBuffer entry() {
    return one.log.last().entry();
  }

  @Test
  void shouldCommitWhenTheLogHasAndTellListenersOfAllMembers() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry()));
    one.write(new Change("a"), new Change("b"));
    assertThat(answers).containsExactly("done", "done");
    assertThat(one.log.proposed).hasSize(1);
    assertThat(one.log.kept).containsExactly(new LogPosition(1, 1));
    assertThat(one.store.leadingTerm()).isEqualTo(1);
    other.deliver(1, 1, entry());
    assertThat(other.description()).isEqualTo("[]");
    assertThat(other.writer.writeInTurn()).isTrue();
    assertThat(other.description()).isEqualTo("[b]").isEqualTo(one.description());
    assertThat(other.heard).hasSize(2);
    for (int i = 0; i < 2; i++) {
      CommittedChange there = one.heard.get(i);
      CommittedChange here = other.heard.get(i);
      assertThat(here.csn()).isEqualTo(there.csn());
      assertThat(here.author()).isEqualTo(there.author()).isEqualTo(AUTHOR);
      assertThat(here.entryId()).isEqualTo(there.entryId());
      assertThat(here.former()).isNotNull();
      assertThat(here.image()).isNotNull();
    }
    assertThat(other.member().applied()).isEqualTo(new LogPosition(1, 1));
    assertThat(other.store.reached()).isEqualTo(new LogPosition(1, 1));
  }

  @Test
  void shouldRefuseBeforeAnUpdateRunsIfTheMemberDoesNotLead() {
    Change change = new Change("a");
    one.write(change);
    assertThat(answers)
        .containsExactly(
            "UNAVAILABLE: this member does not lead the cluster: the change was not made");
    assertThat(change.hasRun).isFalse();
    assertThat(one.log.proposed).isEmpty();
  }

  @Test
  void shouldTellSurelyThatNothingWasDoneIfTheLogRefuses() {
    one.leads(1, 0);
    one.log.then(() -> one.log.last().outcome().complete(ReplicatedLog.Outcome.REFUSED));
    one.write(new Change("a"), new Change("b"));
    assertThat(answers)
        .hasSize(2)
        .containsOnly("UNAVAILABLE: another member leads the cluster now: the change was not made");
    assertThat(one.log.proposed).hasSize(1);
    assertThat(one.description()).isEqualTo("[]");
  }

  @Test
  void shouldSucceedIfTheBatchIsCommittedAfterItsTransactionWasAborted() {
    one.leads(1, 0);
    one.log
        .then(one.member()::follows)
        .then(
            () -> {
              // The transaction is gone, and another one could begin.
              one.inner.beginWrite().close();
              one.deliver(1, 1, entry());
              one.member().passed(new LogPosition(2, 2));
            });
    one.write(new Change("a"));
    assertThat(answers).containsExactly("done");
    assertThat(one.description()).isEqualTo("[a]");
    assertThat(one.heard).hasSize(1);
    assertThat(one.store.reached()).isEqualTo(new LogPosition(2, 2));
  }

  @Test
  void shouldTellSurelyThatNothingWasDoneIfAnotherEntryHasThePlace() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry()));
    one.write(new Change("a"));
    other.deliver(1, 1, entry());
    assertThat(other.writer.writeInTurn()).isTrue();
    other.leads(2, 2);
    other.log.then(() -> other.deliver(2, 3, other.log.last().entry()));
    other.write(new Change("b"));
    one.log.then(one.member()::follows).then(() -> one.deliver(2, 3, other.log.last().entry()));
    one.write(new Change("c"));
    assertThat(answers)
        .containsExactly(
            "done",
            "done",
            "UNAVAILABLE: another member leads the cluster now: the change was not made");
    assertThat(one.description()).isEqualTo("[b]");
    assertThat(one.member().applied()).isEqualTo(new LogPosition(2, 3));
  }

  @Test
  void shouldNotKnowTheOutcomeAfterTheDeadlineAndProposeNothingUntilItIsKnown() {
    one.leads(1, 0);
    one.write(new Change("a"));
    one.write(new Change("b"));
    assertThat(answers)
        .containsExactly(
            "UNAVAILABLE: no majority of the cluster has answered in time: it is not known if the"
                + " change is made",
            "UNAVAILABLE: the outcome of an earlier change is not known yet: this change was not"
                + " made");
    assertThat(one.description()).isEqualTo("[]");
    one.deliver(1, 1, entry());
    assertThat(one.writer.writeInTurn()).isTrue();
    assertThat(one.description()).isEqualTo("[a]");
    one.log.then(() -> one.deliver(1, 2, entry()));
    one.write(new Change("c"));
    assertThat(answers).last().isEqualTo("done");
    assertThat(one.description()).isEqualTo("[c]");
  }

  @Test
  void shouldRefuseAChangeThatTheLogDoesNotTakeAndMakeItsNeighbours() {
    one.leads(1, 0);
    one.log.mostBytes = 2000;
    one.log.then(() -> one.deliver(1, 1, entry())).then(() -> one.deliver(1, 2, entry()));
    one.write(new Change("a"), new Change("x".repeat(3000)), new Change("b"));
    assertThat(answers).hasSize(3).filteredOn("done"::equals).hasSize(2);
    assertThat(answers.get(1))
        .startsWith("ADMIN_LIMIT_EXCEEDED: the change takes 3")
        .endsWith("bytes in the log of the cluster, which takes at most 2000");
    assertThat(one.description()).isEqualTo("[b]");
  }

  @Test
  void shouldStopAndNeverSkipIfAnEntryDoesNotFollow() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry())).then(() -> one.deliver(1, 2, entry()));
    one.write(new Change("a"));
    ByteBuffer first = entry();
    one.write(new Change("b"));
    ByteBuffer second = entry();
    other.deliver(1, 1, second);
    assertThat(other.writer.writeInTurn()).isTrue();
    assertThat(other.failures).singleElement().asString().startsWith("entry 1 of the log cannot");
    assertThat(other.store.failure()).isEqualTo(other.failures.getFirst());
    assertThat(other.member().committed(new LogPosition(1, 1), first).toCompletableFuture())
        .isCompletedExceptionally();
    other.leads(2, 3);
    other.write(new Change("c"));
    assertThat(answers)
        .last()
        .asString()
        .startsWith("UNAVAILABLE: this member of the cluster has stopped: entry 1 of the log");
    assertThat(other.description()).isEqualTo("[]");
  }

  /** A log that was not told would go on to lead, with a member that refuses each change. */
  @Test
  void shouldTellTheLogIfItCannotStoreItsOwnBatch() {
    List<CompletionStage<Void>> stages = new ArrayList<>();
    one.leads(1, 0);
    one.log.then(
        () -> {
          isFull = true;
          stages.add(one.member().committed(new LogPosition(1, 1), entry()));
        });
    one.write(new Change("a"));
    assertThat(answers)
        .containsExactly(
            "UNAVAILABLE: the cluster has made the change, and this member has stopped before it"
                + " could: the disk is full");
    assertThat(one.failures).hasSize(1);
    assertThat(stages.getFirst().toCompletableFuture()).isCompletedExceptionally();
    assertThat(one.log.failures).hasSize(1);
  }

  /** The data directory was deleted, or the disk is broken. */
  @Test
  void shouldMakeWayForAnotherIfItCannotBeginATransaction() {
    one.leads(1, 0);
    isFull = true;
    one.write(new Change("a"));
    assertThat(answers).containsExactly("UNAVAILABLE: the disk is full");
    assertThat(one.log.failures).containsExactly("the disk is full");
    assertThat(one.store.leadingTerm()).isNegative();
  }

  @Test
  void shouldApplyAllBeforeTheEntryThatStopsIt() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry())).then(() -> one.deliver(1, 2, entry()));
    one.write(new Change("a"));
    ByteBuffer first = entry();
    one.write(new Change("b"));
    other.deliver(1, 1, first);
    other.deliver(1, 2, ByteBuffer.wrap("nonsense".repeat(20).getBytes(UTF_8)));
    assertThat(other.writer.writeInTurn()).isTrue();
    assertThat(other.description()).isEqualTo("[a]");
    assertThat(other.store.failure())
        .isEqualTo("entry 2 of the log cannot be applied: it is damaged: its checksum is wrong");
  }

  @Test
  void shouldSkipWhatTheStoreHas() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry()));
    one.write(new Change("a"));
    one.deliver(1, 1, entry());
    assertThat(one.member().committed(new LogPosition(1, 1), entry()).toCompletableFuture())
        .isCompleted();
    assertThat(one.store.failure()).isNull();
  }

  @Test
  void shouldCarryDefinitionsToAllMembers() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry()));
    ExtendedSchema more =
        one.store
            .extendedSchema()
            .with(
                List.of(
                    ExtendedSchema.parse(
                        DefinitionKind.ATTRIBUTE_TYPE,
                        "( 1.2.3.4 NAME 'added' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )")));
    one.write(
        new Change("schema") {
          @Override
          public boolean isAlone() {
            return true;
          }

          @Override
          public LdapResult apply(UpdateContext context) {
            context.changeSchema(more);
            return LdapResult.SUCCESS;
          }
        });
    assertThat(answers).containsExactly("done");
    other.deliver(1, 1, entry());
    assertThat(other.writer.writeInTurn()).isTrue();
    assertThat(other.store.extendedSchema().additions()).isEqualTo(more.additions());
    assertThat(other.definitions).containsExactly(other.store.extendedSchema());
    assertThat(one.definitions).isEmpty();
    assertThat(other.store.failure()).isNull();
  }

  @Test
  void shouldLetReadersWaitForAPlace() {
    one.leads(1, 0);
    one.log.then(() -> one.deliver(1, 1, entry()));
    one.write(new Change("a"));
    var reaching = other.store.reaching(new LogPosition(1, 2)).toCompletableFuture();
    other.deliver(1, 1, entry());
    other.member().passed(new LogPosition(1, 2));
    assertThat(reaching).isNotDone();
    assertThat(other.writer.writeInTurn()).isTrue();
    assertThat(reaching).isCompleted();
    assertThat(other.store.reaching(new LogPosition(1, 1)).toCompletableFuture()).isCompleted();
  }
}
