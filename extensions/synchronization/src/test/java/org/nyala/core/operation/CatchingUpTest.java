package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.operation.UpdateFixture.TOP;
import static org.nyala.core.session.OperationFixture.ALL;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.control.ControlType;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.LiveDirectory.Client;
import org.nyala.core.operation.LiveDirectory.Event;
import org.nyala.core.operation.sync.ContentSynchronization;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/** A member of a cluster that is asked by a client which has more than it. */
class CatchingUpTest {
  private static final String NEW = "ou=new," + TOP;
  private static final long AHEAD_MICROS = 60_000_000;

  private final AtomicInteger waits = new AtomicInteger();
  private Supplier<CompletionStage<Void>> current = () -> CompletableFuture.completedFuture(null);
  private Backend member;
  private final LiveDirectory directory =
      new LiveDirectory(
          "striped",
          ServerLimits.DEFAULT,
          this::member,
          List.of(ContentSynchronization.WITHOUT_LOGS));
  private final Csn later = new Csn(micros() + AHEAD_MICROS, 0, 1, 0);

  private static long micros() {
    return Instant.now().getEpochSecond() * 1_000_000;
  }

  private Backend member(Backend store) {
    member = new Member(store);
    return member;
  }

  /** The store of a member, which is current when the test says so. Thread-safe. */
  private final class Member implements Backend {
    private final Backend inner;

    Member(Backend inner) {
      this.inner = inner;
    }

    @Override
    public List<Dn> namingContexts() {
      return inner.namingContexts();
    }

    @Override
    public ReadTransaction beginRead() {
      return inner.beginRead();
    }

    @Override
    public WriteTransaction beginWrite() {
      return inner.beginWrite();
    }

    @Override
    public boolean isReplicated() {
      return true;
    }

    @Override
    public CompletionStage<Void> current() {
      waits.incrementAndGet();
      return current.get();
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  @AfterEach
  void close() {
    directory.close();
  }

  /** The change that another member has made. Confined to one thread at a time. */
  private record Replicated(Csn csn, CompletableFuture<Void> made) implements Update {
    @Override
    public LdapResult apply(UpdateContext context) {
      Dn name = UpdateFixture.dn(NEW);
      long id = context.transaction().find(name);
      context.replicate(new ResolvedChange.Modify(name, id, List.of()), csn);
      return LdapResult.SUCCESS;
    }

    @Override
    public void answer(LdapResult result) {
      assertThat(result.code()).isEqualTo(ResultCode.SUCCESS);
      made.complete(null);
    }
  }

  private CompletionStage<Void> catchUp() {
    CompletableFuture<Void> made = new CompletableFuture<>();
    try {
      directory
          .operations
          .directory()
          .get()
          .runtime()
          .writers()
          .submit(member, new Replicated(later, made));
      return made;
    } catch (LdapOperationException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Event ask(Client root, Csn csn) {
    String cookie = SyncCookie.of(CsnVector.EMPTY.with(csn)).toString();
    BerWriter content = new BerWriter().enumerated(1).octets(cookie.getBytes(US_ASCII));
    RequestControl control =
        new RequestControl(
            ControlType.SYNC_REQUEST.oid(), true, new BerWriter().sequence(content).toByteArray());
    return root.ask(
        new Request.Search(
            root.nextId(),
            NEW,
            Scope.SUBTREE,
            DerefAliases.NEVER,
            0,
            0,
            false,
            ALL,
            List.of(),
            List.of(control)));
  }

  private Event ask(Csn csn) {
    Client root = directory.root();
    assertThat(root.add(NEW, "objectClass=organizationalUnit", "ou=new"))
        .isEqualTo(ResultCode.SUCCESS);
    return ask(root, csn);
  }

  @Test
  void shouldHaveTheClientTryAgainIfTheOthersDoNotAnswer() {
    current = () -> CompletableFuture.failedFuture(new IllegalStateException("no leader"));
    assertThat(ask(later).result().code()).isEqualTo(ResultCode.UNAVAILABLE);
  }

  @Test
  void shouldRefuseChangesThatNoMemberHas() {
    assertThat(ask(later).result().code()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
    assertThat(waits).hasValue(1);
  }

  @Test
  void shouldGoOnOnceItHasCaughtUp() {
    current = this::catchUp;
    assertThat(ask(later).result().code()).isEqualTo(ResultCode.SUCCESS);
    assertThat(waits).hasValue(1);
  }

  @Test
  void shouldNotWaitForOthersWithoutNeed() {
    ask(new Csn(micros() - AHEAD_MICROS, 0, 1, 0));
    assertThat(waits).hasValue(0);
  }
}
