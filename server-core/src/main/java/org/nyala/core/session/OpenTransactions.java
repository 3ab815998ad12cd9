package org.nyala.core.session;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.limits.ServerLimits.StandingLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The transactions of one session that were started and are not settled (RFC 5805), with the
 * updates that wait in them.
 *
 * <p>Thread-safe. An identifier means something to its own session only, and is never given twice.
 */
public final class OpenTransactions {
  /*
   * The operations of a connection run at once and in any order, but the result of a transaction
   * depends on the order of its updates. So each request takes a place as it arrives, on the event
   * loop; its operation fills the place, or leaves it empty; and the one that ends the transaction
   * waits until all before it have ended.
   */

  /** An update that waits for the end of its transaction. */
  public record Member(int messageId, PreparedUpdate update) {}

  private final class Transaction implements OwnedSlots.Tenant {
    final BoundIdentity identity;
    final Runnable notice;
    final LinkedHashSet<Place> places = new LinkedHashSet<>();

    /** Those whose operations have not ended. */
    final LinkedHashSet<Place> unended = new LinkedHashSet<>();

    @Nullable Backend backend;
    int members;
    long bytes;
    long held;
    int ending;
    int waiting;
    boolean isClosed;
    @Nullable Place settledBy;
    volatile boolean isBusy;
    OwnedSlots.@Nullable Slot slot;

    /** Begins without updates. */
    Transaction(BoundIdentity identity, Runnable notice) {
      this.identity = identity;
      this.notice = notice;
    }

    /** Notes whether updates of it, or its end, are under way. */
    void observe() {
      isBusy = ending > 0 || !unended.isEmpty();
    }

    @Override
    public OwnedSlots.Use use() {
      return isBusy ? OwnedSlots.Use.WORKING : OwnedSlots.Use.IDLE;
    }

    @Override
    public void evict() {
      abort(this);
    }
  }

  /** The place of a request among those of its transaction, in the order of arrival. */
  public final class Place {
    private final Transaction transaction;
    private final boolean isEnd;
    private final boolean isBehindEnd;
    private @Nullable Member member;
    private @Nullable Operation waiting;

    private Place(Transaction transaction, boolean isEnd) {
      this.transaction = transaction;
      this.isEnd = isEnd;
      this.isBehindEnd = transaction.ending > 0;
    }

    /** The operation that had the place, and may have filled it, has ended. */
    public void leave() {
      Operation next = left(this);
      if (next != null) {
        next.unpark();
      }
    }
  }

  private final Map<String, Transaction> open = new HashMap<>();
  private final MemoryAccount memory;
  private long started;

  /**
   * Begins with none.
   *
   * @param memory holds the updates that wait
   */
  public OpenTransactions(MemoryAccount memory) {
    this.memory = memory;
  }

  /**
   * Starts a transaction of the identity that the operation acts as.
   *
   * @param slots the places for those of all sessions
   * @param notice sends the notice that the transaction of an identifier was discarded because
   *     another has taken its place
   * @return its identifier
   * @throws LdapOperationException adminLimitExceeded if the session has too many; busy if there
   *     are too many in all
   */
  public byte[] start(
      Operation operation, StandingLimits limits, OwnedSlots slots, Consumer<byte[]> notice)
      throws LdapOperationException {
    byte[] identifier = identifier(operation, limits);
    Transaction transaction =
        new Transaction(operation.identity(), () -> notice.accept(identifier));
    // Under no lock: it may discard another one.
    OwnedSlots.Slot slot = slots.take(operation.session().owner(operation.identity()), transaction);
    if (slot == null) {
      throw new LdapOperationException(ResultCode.BUSY, "too many transactions");
    }
    boolean isOpen = false;
    try {
      open(transaction, identifier, slot, operation, limits);
      isOpen = true;
    } finally {
      if (!isOpen) {
        slot.giveBack();
      }
    }
    return identifier;
  }

  private synchronized byte[] identifier(Operation operation, StandingLimits limits)
      throws LdapOperationException {
    requireRoom(operation, limits);
    return Long.toString(++started).getBytes(StandardCharsets.US_ASCII);
  }

  private synchronized void open(
      Transaction transaction,
      byte[] identifier,
      OwnedSlots.Slot slot,
      Operation operation,
      StandingLimits limits)
      throws LdapOperationException {
    requireRoom(operation, limits);
    if (transaction.isClosed) {
      throw new LdapOperationException(ResultCode.BUSY, "too many transactions");
    }
    transaction.slot = slot;
    open.put(text(identifier), transaction);
  }

  private void requireRoom(Operation operation, StandingLimits limits)
      throws LdapOperationException {
    // A bind ends all transactions: one that was on its way to be started must not survive it.
    if (operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    if (open.size() >= limits.transactionsPerConnection()) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + limits.transactionsPerConnection() + " transactions at once");
    }
  }

  /** Discards a transaction that makes way for that of another client. */
  private void abort(Transaction transaction) {
    synchronized (this) {
      if (transaction.isClosed) {
        return;
      }
      close(transaction);
    }
    transaction.notice.run();
  }

  /**
   * Returns the identity on whose behalf the updates of a transaction are made.
   *
   * @param place the place of one of them; null if there is none
   * @throws LdapOperationException if there is no such transaction
   */
  public BoundIdentity identity(@Nullable Place place) throws LdapOperationException {
    if (place == null) {
      throw unknown();
    }
    return place.transaction.identity;
  }

  /**
   * Returns the next place in a transaction for a request; called in the order in which requests
   * arrive. A request with a place must {@link Place#leave} it.
   *
   * @param isEnd true if the request ends the transaction, rather than being an update of it
   * @return null if there is no such transaction
   */
  public synchronized @Nullable Place arrive(byte[] identifier, boolean isEnd) {
    Transaction transaction = open.get(text(identifier));
    if (transaction == null) {
      return null;
    }
    Place place = new Place(transaction, isEnd);
    transaction.places.add(place);
    transaction.unended.add(place);
    transaction.ending += isEnd ? 1 : 0;
    transaction.isBusy = true;
    return place;
  }

  /**
   * Returns the updates in the places before another, in the order of arrival.
   *
   * @param place the place of an update; null if there is none
   * @param operation that update, run again if it had to wait
   * @return null if some before it have not ended: the operation has been handed over, and is
   *     unparked when they have
   */
  public synchronized @Nullable List<PreparedUpdate> before(
      @Nullable Place place, Operation operation) {
    List<PreparedUpdate> found = new ArrayList<>();
    if (place == null || place.transaction.isClosed) {
      return found;
    }
    for (Place each : place.transaction.places) {
      if (each == place) {
        break;
      }
      if (place.transaction.unended.contains(each)) {
        place.waiting = operation;
        place.transaction.waiting++;
        return null;
      }
      Member member = each.member;
      if (member != null) {
        found.add(member.update());
      }
    }
    return found;
  }

  /**
   * Fills a place with an update.
   *
   * @param place the place; null if there is none
   * @param length the approximate memory of the update in bytes, which the limit counts
   * @param more the memory of what was made of it, which counts for the client alone
   * @return null, or the reason why there is no room for it, which ends the transaction:
   *     adminLimitExceeded if it makes the transaction too large, be it for the memory of one
   *     client; busy if there is no memory at the moment
   * @throws LdapOperationException if there is no such transaction, or the update cannot be part of
   *     it
   */
  public synchronized @Nullable LdapResult enlist(
      @Nullable Place place, Member member, long length, long more, StandingLimits limits)
      throws LdapOperationException {
    if (place == null || place.transaction.isClosed || place.isBehindEnd) {
      throw unknown();
    }
    Transaction transaction = place.transaction;
    Backend backend = member.update().backend();
    if (transaction.backend != null && transaction.backend != backend) {
      throw new LdapOperationException(
          ResultCode.AFFECTS_MULTIPLE_DSAS, "a transaction changes one naming context only");
    }
    boolean isTooLarge =
        transaction.members >= limits.transactionUpdates()
            || transaction.bytes + length > limits.transactionBytes()
            || !memory.couldHoldStanding(transaction.held + length + more);
    if (isTooLarge || !memory.tryTakeStanding(length + more)) {
      close(transaction);
      return isTooLarge
          ? LdapResult.of(ResultCode.ADMIN_LIMIT_EXCEEDED, "the transaction is too large")
          : LdapResult.of(ResultCode.BUSY, "there is no memory for the transaction");
    }
    place.member = member;
    transaction.backend = backend;
    transaction.members++;
    transaction.bytes += length;
    transaction.held += length + more;
    return null;
  }

  /**
   * Removes a transaction, to be committed or discarded.
   *
   * @param place the place of the request for it; null if there is none
   * @param operation that request, run again if it had to wait
   * @return the updates in the order of arrival; null if some before this request have not ended:
   *     the operation has been handed over, and is unparked when they have
   * @throws LdapOperationException if there is no such transaction
   */
  public synchronized @Nullable List<Member> settle(@Nullable Place place, Operation operation)
      throws LdapOperationException {
    if (place == null || place.transaction.isClosed) {
      throw unknown();
    }
    List<Member> members = new ArrayList<>(place.transaction.members);
    for (Place each : place.transaction.places) {
      if (each == place) {
        break;
      }
      if (place.transaction.unended.contains(each)) {
        place.waiting = operation;
        return null;
      }
      if (each.member != null) {
        members.add(each.member);
      }
    }
    place.transaction.settledBy = place;
    close(place.transaction);
    return members;
  }

  /** Ends the stay in a place; gives the operation that need not wait any longer. */
  private synchronized @Nullable Operation left(Place place) {
    Transaction transaction = place.transaction;
    transaction.unended.remove(place);
    if (transaction.settledBy == place) {
      // The updates have gone with the operation that ends now.
      giveBack(transaction);
    }
    place.waiting = null;
    if (place.member == null) {
      transaction.places.remove(place);
      transaction.ending -= place.isEnd ? 1 : 0;
    }
    transaction.observe();
    if (transaction.ending == 0 && transaction.waiting == 0 || transaction.unended.isEmpty()) {
      return null;
    }
    Place first = transaction.unended.getFirst();
    Operation next = first.waiting;
    first.waiting = null;
    transaction.waiting -= next != null && !first.isEnd ? 1 : 0;
    return next;
  }

  /** Discards all transactions: nothing of them is ever carried out. */
  public synchronized void abortAll() {
    List.copyOf(open.values()).forEach(this::close);
  }

  private void close(Transaction transaction) {
    transaction.isClosed = true;
    open.values().remove(transaction);
    OwnedSlots.Slot slot = transaction.slot;
    if (slot != null) {
      slot.giveBack();
    }
    if (transaction.settledBy == null) {
      giveBack(transaction);
    }
  }

  private void giveBack(Transaction transaction) {
    if (transaction.held > 0) {
      memory.giveBack(transaction.held);
      transaction.held = 0;
    }
  }

  private static String text(byte[] identifier) {
    return new String(identifier, StandardCharsets.ISO_8859_1);
  }

  private static LdapOperationException unknown() {
    return new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM, "no transaction of this identifier is open");
  }
}
