package org.nyala.core.operation.sync;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;

/**
 * The memory that a persistent search holds for as long as it stands: its criteria, in the form
 * that is compared with changes, and its record of the entries sent.
 *
 * <p>Thread-safe.
 */
final class FollowerMemory {
  /** A search with a small filter, and the entries that it remembers at first. */
  private static final int LEAST_BYTES = 8 * 1024;

  private static final int NODE_BYTES = 128;

  private final MemoryAccount account;
  private long bytes;

  private FollowerMemory(MemoryAccount account, long bytes) {
    this.account = account;
    this.bytes = bytes;
  }

  /**
   * Takes it from the account of the operation's connection.
   *
   * @throws LdapOperationException adminLimitExceeded if it is too much for one search; busy when
   *     there is no room
   */
  public static FollowerMemory take(ServerLimits limits, Operation operation)
      throws LdapOperationException {
    long needed = LEAST_BYTES + 2 * length(operation.request());
    int most = limits.memory().persistentSearchRequestBytes();
    if (needed > Math.max(most, LEAST_BYTES)) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "a persistent search of more than " + most + " bytes, decoded");
    }
    MemoryAccount account = operation.session().memory();
    if (!account.tryTakeStanding(needed)) {
      throw new LdapOperationException(
          ResultCode.BUSY, "there is no memory for another persistent search");
    }
    return new FollowerMemory(account, needed);
  }

  /** Returns the end of a persistent search whose place another client has taken. */
  public static LdapOperationException displaced(Operation operation) {
    operation.session().metrics().displaced().increment();
    return new LdapOperationException(
        ResultCode.BUSY, "the persistent search makes way for those of others");
  }

  /** Gives it back. Idempotent. */
  public synchronized void giveBack() {
    if (bytes > 0) {
      account.giveBack(bytes);
      bytes = 0;
    }
  }

  private static long length(Request request) {
    long length = 0;
    for (RequestControl control : request.controls()) {
      length += NODE_BYTES + length(control.value());
    }
    if (request instanceof Request.Search search) {
      length += length(search.filter());
      for (String attribute : search.attributes()) {
        length += NODE_BYTES + attribute.length();
      }
    }
    return length;
  }

  private static long length(byte @Nullable [] value) {
    return value == null ? 0 : value.length;
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  private static long length(FilterNode filter) {
    return NODE_BYTES
        + switch (filter) {
          case FilterNode.And and -> length(and.nodes());
          case FilterNode.Or or -> length(or.nodes());
          case FilterNode.Not not -> length(not.node());
          case FilterNode.Equality it -> length(it.attribute()) + length(it.value());
          case FilterNode.GreaterOrEqual it -> length(it.attribute()) + length(it.value());
          case FilterNode.LessOrEqual it -> length(it.attribute()) + length(it.value());
          case FilterNode.Approximate it -> length(it.attribute()) + length(it.value());
          case FilterNode.Present it -> length(it.attribute());
          case FilterNode.Extensible it ->
              length(it.rule()) + length(it.attribute()) + length(it.value());
          case FilterNode.Substrings it -> substrings(it);
        };
  }

  private static long substrings(FilterNode.Substrings filter) {
    long length = length(filter.attribute()) + length(filter.initial()) + length(filter.last());
    for (byte[] piece : filter.any()) {
      length += NODE_BYTES + piece.length;
    }
    return length;
  }

  private static long length(List<FilterNode> nodes) {
    long length = 0;
    for (FilterNode node : nodes) {
      length += length(node);
    }
    return length;
  }
}
