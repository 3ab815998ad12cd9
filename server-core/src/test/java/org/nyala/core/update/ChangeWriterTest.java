package org.nyala.core.update;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.contention.Contention;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;

/** A writer without a thread of its own: the test writes in turn. */
final class ChangeWriterTest {
  private static final Schema SCHEMA = SchemaLoader.standard();
  private static final Dn TOP = top();

  private final List<String> ends = new ArrayList<>();
  private final InMemoryBackend backend = new InMemoryBackend(SCHEMA, List.of(entry()));

  private static Dn top() {
    try {
      return DnParser.parse(SCHEMA, "dc=example,dc=com");
    } catch (InvalidDnException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Entry entry() {
    return new Entry(TOP).add(description("objectClass"), "domain".getBytes(UTF_8));
  }

  private static AttributeDescription description(String name) {
    return AttributeDescription.parse(SCHEMA, name);
  }

  private ChangeWriter writer(int queueLimit) {
    ChangePolicy policy =
        new ChangePolicy(List.of(), new OperationalAttributes(SCHEMA), 100, new ConsumedContexts());
    return ChangeWriter.start(
        backend,
        new ChangeWriter.Settings(
            queueLimit,
            100,
            1,
            InstantSource.system(),
            null,
            new Random(1),
            _ -> null,
            () -> policy,
            List.of(),
            CommitPacer.Source.UNPACED,
            Contention.UNMEASURED));
  }

  private class Change implements Update {
    private final String name;

    Change(String name) {
      this.name = name;
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      AttributeChange change =
          new AttributeChange.Replaced(description("description"), List.of(name.getBytes(UTF_8)));
      long id = context.transaction().find(TOP);
      context.apply(new ResolvedChange.Modify(TOP, id, List.of(change)), ChangeCause.SERVER);
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      ends.add(name + " " + result.code());
    }
  }

  private final class Alone extends Change {
    private int begun;

    Alone(String name) {
      super(name);
    }

    @Override
    public boolean isAlone() {
      return true;
    }

    @Override
    public WriteTransaction begin(Backend store) {
      begun++;
      return store.beginWrite();
    }
  }

  @Test
  void shouldWriteWhatIsAheadBeforeTheQueueAndWithRoomForItWhenThatIsFull() {
    try (ChangeWriter writer = writer(2)) {
      assertThat(writer.submit(new Change("a"))).isTrue();
      assertThat(writer.submit(new Change("b"))).isTrue();
      assertThat(writer.submit(new Change("c"))).isFalse();
      Alone ahead = new Alone("ahead");
      assertThat(writer.submitAhead(ahead)).isTrue();
      assertThat(writer.submitAhead(new Alone("another"))).isFalse();
      assertThat(writer.writeInTurn()).isTrue();
      assertThat(ends).containsExactly("ahead SUCCESS", "a SUCCESS", "b SUCCESS");
      assertThat(ahead.begun).isEqualTo(1);
      assertThat(writer.submitAhead(new Alone("last"))).isTrue();
      assertThat(writer.writeInTurn()).isTrue();
      assertThat(ends).last().isEqualTo("last SUCCESS");
    }
  }

  @Test
  void shouldAnswerWhatIsAheadWhenItEnds() {
    try (ChangeWriter writer = writer(2)) {
      assertThat(writer.submitAhead(new Alone("ahead"))).isTrue();
    }
    assertThat(ends).containsExactly("ahead UNAVAILABLE");
  }

  @Test
  void shouldTryNoChangeAgainOfATransactionThatFailsAsAWhole() {
    List<String> commits = new ArrayList<>();
    backend.beforeCommit(
        () -> {
          commits.add("commit");
          throw StoreUnavailableException.ofTransaction("the outcome is not known");
        });
    try (ChangeWriter writer = writer(8)) {
      assertThat(writer.submit(new Change("a"))).isTrue();
      assertThat(writer.submit(new Change("b"))).isTrue();
      assertThat(writer.writeInTurn()).isTrue();
    }
    assertThat(commits).hasSize(1);
    assertThat(ends).containsExactly("a " + ResultCode.UNAVAILABLE, "b " + ResultCode.UNAVAILABLE);
  }

  @Test
  void shouldTryTheChangesOfAnotherFailureOneByOne() {
    List<String> commits = new ArrayList<>();
    backend.beforeCommit(
        () -> {
          commits.add("commit");
          if (commits.size() == 1) {
            throw new StoreUnavailableException("the disk is full", null);
          }
        });
    try (ChangeWriter writer = writer(8)) {
      assertThat(writer.submit(new Change("a"))).isTrue();
      assertThat(writer.submit(new Change("b"))).isTrue();
      assertThat(writer.writeInTurn()).isTrue();
    }
    assertThat(commits).hasSize(3);
    assertThat(ends).containsExactly("a SUCCESS", "b SUCCESS");
  }
}
