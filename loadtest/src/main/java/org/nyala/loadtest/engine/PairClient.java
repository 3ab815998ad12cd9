package org.nyala.loadtest.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.Patterns;
import org.nyala.loadtest.workload.Targets;

/**
 * Sends a request and then the one that undoes it, over and over; at the end everything is as it
 * was. Both are operations. A request that undoes itself has no other. Confined to the channel's
 * event loop.
 */
final class PairClient extends SingleClient {
  private static final int NO_SUCH_OBJECT = 32;

  private enum State {
    UNDONE,
    DOING,
    DONE,
    UNDOING,
    /** Undoing after the connection broke or the time was over: not an operation that counts. */
    CLEANING
  }

  /** Chooses the number of a person or a client. */
  private interface Numbers {
    int number(PairClient client);
  }

  /**
   * One of the two requests.
   *
   * @param bind binds before it, as a part of the operation; null for no bind
   */
  private record Half(Request request, int response, @Nullable Request bind) {}

  private final Numbers numbers;
  private final Half doing;
  private final @Nullable Half undoing;
  private Targets.@Nullable Chooser own;
  private State state = State.UNDONE;
  private boolean isBinding;
  private int number;
  private long stamp;
  private long pairs;
  private long operation;

  private PairClient(
      LoadLoop loop,
      long seed,
      LoadConnection connection,
      Numbers numbers,
      Half doing,
      @Nullable Half undoing) {
    super(loop, seed, connection);
    this.numbers = numbers;
    this.doing = doing;
    this.undoing = undoing;
  }

  /** Adds an entry below the people and deletes it, never twice with the same name. */
  static PairClient adding(LoadLoop loop, long seed, LoadConnection connection) {
    Templates templates = loop.templates();
    return new PairClient(
        loop,
        seed,
        connection,
        PairClient::addedNumber,
        new Half(templates.add(), Pdu.ADD_RESPONSE, null),
        new Half(templates.delete(), Pdu.DELETE_RESPONSE, null));
  }

  /** Renames a random person of its own and renames it back. */
  static PairClient renaming(LoadLoop loop, long seed, LoadConnection connection) {
    Templates templates = loop.templates();
    return new PairClient(
        loop,
        seed,
        connection,
        client -> client.isPart() ? client.reserved(JobKind.RENAME) : client.ownPerson(),
        new Half(templates.rename(), Pdu.RENAME_RESPONSE, null),
        new Half(templates.renameBack(), Pdu.RENAME_RESPONSE, null));
  }

  /** Sets the password of a person of its own: to the same one, or to another one and back. */
  static PairClient settingPasswords(LoadLoop loop, long seed, LoadConnection connection) {
    Templates templates = loop.templates();
    JobOptions options = loop.settings().options();
    boolean isOther = options.setsOtherPasswords();
    boolean binds = options.rules().bindsAsPerson();
    return new PairClient(
        loop,
        seed,
        connection,
        client ->
            client.isPart() && isOther
                ? client.reserved(JobKind.PASSWORD_MODIFY)
                : client.ownPerson(),
        new Half(templates.setPassword(), Pdu.EXTENDED_RESPONSE, binds ? templates.bind() : null),
        isOther
            ? new Half(
                templates.resetPassword(),
                Pdu.EXTENDED_RESPONSE,
                binds ? templates.bindByNewPassword() : null)
            : null);
  }

  private int addedNumber() {
    Patterns patterns = loop().settings().options().patterns();
    return patterns == null || patterns.entry() == null ? client() : chooseUser();
  }

  /**
   * A person whom no other client changes, in the order of the targets: a name is unknown while it
   * is changed, and servers refuse two new passwords of a person at once.
   */
  private int ownPerson() {
    Targets values = loop().settings().options().values();
    int count = (loop().settings().sharedUsers() - client() + clients() - 1) / clients();
    int place;
    if (values.order() == Targets.Order.SEQUENTIAL) {
      place = (int) (pairs % count);
    } else {
      Targets.Chooser chooser = own == null ? values.chooser(count) : own;
      own = chooser;
      place = chooser.next(this) - values.first();
    }
    return values.first() + client() + clients() * place;
  }

  /** The only person of this client in a mix, whom other jobs do not ask for. */
  private int reserved(JobKind kind) {
    return loop().settings().options().values().first()
        + loop().settings().reservedUsers(kind)
        + client();
  }

  @Override
  void ready(LoadConnection opened) {
    if (isRunning() && isInDoubt()) {
      clean();
    } else {
      startOrGoOn();
    }
  }

  /** Returns whether a request was sent whose result is unknown. */
  boolean isInDoubt() {
    return undoing != null && state != State.UNDONE && state != State.DONE;
  }

  @Override
  void forget() {
    super.forget();
    isBinding = false;
    if (undoing == null) {
      state = State.UNDONE;
    } else if (canSend()) {
      clean();
    }
  }

  /** The number of the operation that does, also for the one that undoes it. */
  @Override
  public long operation() {
    return operation;
  }

  @Override
  void next() {
    Half half = undoing;
    if (state == State.DONE && half != null) {
      state = State.UNDOING;
    } else {
      number = numbers.number(this);
      stamp = pairs++;
      operation = super.operation();
      state = State.DOING;
      half = doing;
    }
    send(half);
  }

  private void send(Half half) {
    Request bind = half.bind;
    isBinding = bind != null;
    send(bind == null ? half.request : bind, number, stamp);
  }

  @Override
  boolean startCleaning() {
    if (state != State.DONE) {
      return false;
    }
    clean();
    return true;
  }

  private void clean() {
    state = State.CLEANING;
    startBeside();
    send(Objects.requireNonNull(undoing));
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    Half half = state == State.DOING ? doing : undoing;
    if (half == null
        || !isExpected(answering, tag, isBinding ? Pdu.BIND_RESPONSE : half.response)) {
      return;
    }
    long now = loop().answeredNanos();
    boolean isCleaning = state == State.CLEANING;
    boolean wasBinding = isBinding;
    if (wasBinding) {
      isBinding = false;
      loggedIn(number, resultCode);
      if (resultCode == 0) {
        send(half.request, number, stamp);
        return;
      }
    }
    if (resultCode != 0) {
      state = wasBinding && state == State.UNDOING ? State.DONE : State.UNDONE;
      if (!isCleaning || resultCode != NO_SUCH_OBJECT) {
        failed(resultCode);
      }
    } else {
      state = state == State.DOING && undoing != null ? State.DONE : State.UNDONE;
      if (!isCleaning) {
        completed(now);
      }
    }
    again(now);
  }

  @Override
  void lost(LoadConnection broken) {
    isBinding = false;
    super.lost(broken);
  }
}
