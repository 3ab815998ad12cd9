package org.nyala.cluster.forward;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.StartTransaction;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;
import org.nyala.core.session.Session;

/**
 * The session of one forwarded request: a connection without a wire, whose client is connected to
 * another member. A transaction is started, filled and ended in it, one request after the other.
 *
 * <p>Confined to the event loop of its service, but for what {@link ClientConnection} and {@link
 * ResponseSink} say otherwise.
 */
final class ForwardedSession implements ClientConnection {
  private final LeaderService service;
  private final ForwardedClient client;
  private final Forwarded asked;
  private final int number;
  private final CompletableFuture<ForwardedAnswer> answer;
  private final Deque<byte[]> left;
  private @Nullable Session session;

  /** The identifier of the transaction here; null before it has begun, or if there is none. */
  private byte @Nullable [] transaction;

  /** The number of the request that is being carried out. */
  private int messageId;

  ForwardedSession(
      LeaderService service,
      Forwarded asked,
      int number,
      CompletableFuture<ForwardedAnswer> answer) {
    this.service = service;
    this.client = asked.client();
    this.asked = asked;
    this.number = number;
    this.answer = answer;
    this.left = new ArrayDeque<>(asked.requests());
  }

  /** Begins with the first request. */
  void begin() {
    try {
      Session opened = service.directory().runtime().openSession(this);
      if (opened == null) {
        // No server yet: nothing was done.
        answer.complete(ForwardedAnswer.NOT_LEADING);
        return;
      }
      session = opened;
      opened.speakFor(client.identity(), client.mechanism(), client.isToChangePassword());
      if (asked.isTransaction()) {
        receive(opened, new Request.Extended(endId(), StartTransaction.OID, null, List.of()), 0);
      } else {
        next(opened);
      }
    } catch (InvalidBerException | RuntimeException e) {
      unread(e);
    }
  }

  /** Returns the number of the last request, which the first one of a transaction has as well. */
  private int endId() throws InvalidBerException {
    return RequestForm.read(left.getLast()).messageId();
  }

  /** Takes the next request: its memory first. */
  private void next(Session opened) throws InvalidBerException {
    byte[] form = left.removeFirst();
    long bytes = RequestForm.footprint(form);
    if (!opened.memory().tryTake(bytes)) {
      end(
          LdapResult.of(
              opened.memory().couldHold(bytes) ? ResultCode.BUSY : ResultCode.ADMIN_LIMIT_EXCEEDED,
              "the leader has no memory for the request"));
      return;
    }
    Request request = RequestForm.read(form);
    receive(opened, transaction == null ? request : within(request), bytes);
  }

  private void receive(Session opened, Request request, long bytes) {
    messageId = request.messageId();
    opened.receive(request, opened.nanoClock().getAsLong(), 0, bytes);
  }

  /** Returns a request of the transaction with the identifier that it has here. */
  private Request within(Request request) {
    return switch (request) {
      case Request.Add add ->
          new Request.Add(add.messageId(), add.name(), add.attributes(), within(add.controls()));
      case Request.Delete delete ->
          new Request.Delete(delete.messageId(), delete.name(), within(delete.controls()));
      case Request.Modify modify ->
          new Request.Modify(
              modify.messageId(), modify.name(), modify.changes(), within(modify.controls()));
      case Request.ModifyDn dn ->
          new Request.ModifyDn(
              dn.messageId(),
              dn.name(),
              dn.newRdn(),
              dn.deleteOldRdn(),
              dn.newSuperior(),
              within(dn.controls()));
      case Request.Extended extended ->
          new Request.Extended(extended.messageId(), extended.oid(), ending(), extended.controls());
      case Request.Bind _,
          Request.Unbind _,
          Request.Search _,
          Request.Compare _,
          Request.Abandon _ ->
          throw new IllegalArgumentException("no change: " + request.type());
    };
  }

  private List<RequestControl> within(List<RequestControl> controls) {
    List<RequestControl> changed = new ArrayList<>(controls.size());
    for (RequestControl control : controls) {
      changed.add(
          control.oid().equals(ControlType.TRANSACTION.oid())
              ? new RequestControl(control.oid(), control.critical(), transaction)
              : control);
    }
    return changed;
  }

  /** Returns the value of the request that commits the transaction. */
  private byte[] ending() {
    byte[] identifier = transaction;
    return new BerWriter()
        .sequence(new BerWriter().bool(true).octets(identifier == null ? new byte[0] : identifier))
        .toByteArray();
  }

  /** Goes on after a response, or ends with it. */
  private void responded(ForwardedAnswer.Response response) {
    Session opened = session;
    if (opened == null) {
      return;
    }
    boolean isDone = response.result().code() == ResultCode.SUCCESS;
    if (asked.isTransaction() && isDone && !left.isEmpty()) {
      byte[] value = response.value();
      if (transaction == null && value != null) {
        transaction = value;
      }
      try {
        next(opened);
      } catch (InvalidBerException | RuntimeException e) {
        unread(e);
      }
      return;
    }
    boolean isOfMember = asked.isTransaction() && !isDone && !left.isEmpty();
    end(isOfMember ? failed(response.result()) : response);
  }

  /** Returns the response to the end of a transaction of which one update was refused before. */
  private ForwardedAnswer.Response failed(LdapResult of) {
    byte[] value =
        transaction == null
            ? null
            : new BerWriter().sequence(new BerWriter().integer(messageId)).toByteArray();
    return new ForwardedAnswer.Response(of.with(List.of()), true, null, value);
  }

  private void end(LdapResult refusal) {
    end(
        asked.isTransaction()
            ? new ForwardedAnswer.Response(refusal, true, null, null)
            : ForwardedAnswer.Response.of(refusal));
  }

  private void end(ForwardedAnswer.Response response) {
    Session opened = session;
    boolean hasNewPassword =
        opened != null && client.isToChangePassword() && !opened.mustChangePassword();
    close();
    answer.complete(
        Outcomes.isNotMade(response.result())
            ? ForwardedAnswer.NOT_LEADING
            : new ForwardedAnswer(response, service.group().reached(), hasNewPassword));
  }

  /** Ends with a request that cannot be read, none before which was carried out. */
  private void unread(Exception e) {
    close();
    answer.complete(
        new ForwardedAnswer(
            ForwardedAnswer.Response.of(
                LdapResult.of(
                    ResultCode.UNAVAILABLE,
                    "the leader cannot read what a member passes on, and has not made the change: "
                        + e.getMessage())),
            service.group().reached(),
            false));
  }

  /** Ends without a response: what became of the request is not known to the other member. */
  private void lost() {
    close();
    answer.completeExceptionally(
        new IllegalStateException("the leader has ended the request without a response"));
  }

  private void close() {
    Session opened = session;
    session = null;
    if (opened != null) {
      opened.closed();
    }
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String peer() {
    return client.peer() + " via member " + client.member() + " conn " + client.connection();
  }

  @Override
  public String local() {
    return client.local();
  }

  @Override
  public ClientSource source() {
    return client.source();
  }

  @Override
  public Object address() {
    return client.owner();
  }

  @Override
  public boolean isOnThisMachine() {
    return client.isOnThisMachine();
  }

  @Override
  public int strengthBits() {
    return client.strengthBits();
  }

  @Override
  public Layer layer() {
    return client.layer();
  }

  @Override
  public void execute(Runnable work) {
    service.execute(work);
  }

  @Override
  public void executeLater(Runnable work) {
    service.executeLater(work);
  }

  @Override
  public ResponseSink openSink(Request request) {
    return new Sink();
  }

  @Override
  public void resumeReading() {
    // The next request follows the response to the one before.
  }

  @Override
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {
    // A transaction that is aborted fails at its end, which the client learns.
  }

  @Override
  public void disconnect(@Nullable LdapResult notice) {
    if (session != null && notice != null) {
      end(notice);
    } else if (session != null) {
      lost();
    }
  }

  /** Keeps the one response of a request. */
  private final class Sink implements ResponseSink {
    private ForwardedAnswer.@Nullable Response response;
    private volatile boolean isSuppressed;

    @Override
    public void entry(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      throw new IllegalStateException("no search is forwarded");
    }

    @Override
    public EntryInParts entryInParts(
        EntryView entry,
        AttributeTable table,
        AttributeSelection selection,
        List<byte[]> computed,
        List<ResponseControl> controls) {
      throw new IllegalStateException("no search is forwarded");
    }

    @Override
    public void reference(List<String> urls, List<ResponseControl> controls) {
      throw new IllegalStateException("no search is forwarded");
    }

    @Override
    public void intermediate(@Nullable String oid, byte @Nullable [] value) {
      throw new IllegalStateException("no search is forwarded");
    }

    @Override
    public void result(Request request, LdapResult result) {
      response = ForwardedAnswer.Response.of(result);
    }

    @Override
    public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {
      response = new ForwardedAnswer.Response(result, true, oid, value);
    }

    @Override
    public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {
      throw new IllegalStateException("no bind is forwarded");
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void flush(@Nullable Runnable completion) {
      execute(
          () -> {
            if (completion == null) {
              return;
            }
            // The session notes the end first: it knows a new password then.
            completion.run();
            ForwardedAnswer.Response ready = response;
            if (ready != null && !isSuppressed) {
              responded(ready);
            } else {
              lost();
            }
          });
    }

    @Override
    public void suppress() {
      isSuppressed = true;
    }

    @Override
    public boolean isOnLoop() {
      return service.isOnLoop();
    }

    @Override
    public @Nullable LdapResult answered() {
      ForwardedAnswer.Response ready = response;
      return ready == null ? null : ready.result();
    }

    @Override
    public int responses() {
      return response == null ? 0 : 1;
    }
  }
}
