package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits.StandingLimits;

/**
 * The transactions of one session that were started and are not settled (RFC 5805), with the
 * updates that wait in them.
 *
 * <p>Thread-safe. An identifier means something to its own session only, and is never given twice.
 */
public final class OpenTransactions {
  /** An update that waits for the end of its transaction. */
  record Member(int messageId, PreparedUpdate update) {}

  private static final class Transaction {
    final List<Member> members = new ArrayList<>();
    long bytes;
  }

  private final Map<String, Transaction> open = new HashMap<>();
  private long started;

  /**
   * Starts a transaction.
   *
   * @return its identifier
   * @throws LdapOperationException adminLimitExceeded when there are too many
   */
  synchronized byte[] start(Operation operation, StandingLimits limits)
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
    String identifier = Long.toString(++started);
    open.put(identifier, new Transaction());
    return identifier.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Adds an update to a transaction.
   *
   * @param length how much memory it takes in bytes, roughly
   * @return false when it makes the transaction too large, which ends the transaction
   * @throws LdapOperationException when there is no such transaction, or the update cannot be part
   *     of it
   */
  synchronized boolean enlist(byte[] identifier, Member member, long length, StandingLimits limits)
      throws LdapOperationException {
    Transaction transaction = open.get(text(identifier));
    if (transaction == null) {
      throw unknown();
    }
    List<Member> members = transaction.members;
    if (!members.isEmpty() && members.getFirst().update().backend() != member.update().backend()) {
      throw new LdapOperationException(
          ResultCode.AFFECTS_MULTIPLE_DSAS, "a transaction changes one naming context only");
    }
    if (members.size() >= limits.transactionUpdates()
        || transaction.bytes + length > limits.transactionBytes()) {
      open.remove(text(identifier));
      return false;
    }
    members.add(member);
    transaction.bytes += length;
    return true;
  }

  /**
   * Takes a transaction out, to be committed or forgotten.
   *
   * @throws LdapOperationException when there is no such transaction
   */
  synchronized List<Member> settle(byte[] identifier) throws LdapOperationException {
    @Nullable Transaction transaction = open.remove(text(identifier));
    if (transaction == null) {
      throw unknown();
    }
    return transaction.members;
  }

  /** Forgets all transactions: nothing of them is ever carried out. */
  public synchronized void abortAll() {
    open.clear();
  }

  private static String text(byte[] identifier) {
    return new String(identifier, StandardCharsets.ISO_8859_1);
  }

  private static LdapOperationException unknown() {
    return new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM, "no transaction of this identifier is open");
  }
}
