package org.nyala.core.session;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;

/**
 * Takes the answers to one request and turns them into bytes for its connection.
 *
 * <p>Confined to one running operation, on the thread that runs its slice. Everything is appended
 * to one buffer, which {@link #flush} hands to the connection.
 */
public interface ResponseSink {
  /**
   * Appends a search result entry; copies what it needs before returning.
   *
   * @param entry the entry
   * @param table the numbers of its attributes
   * @param selection the attributes to send
   * @param computed attributes that are not stored, each a whole BER {@code PartialAttribute};
   *     usually empty
   */
  default void entry(
      EntryView entry, AttributeTable table, AttributeSelection selection, List<byte[]> computed) {
    entry(entry, table, selection, computed, List.of());
  }

  /** Appends a search result entry with controls of its own; else like the other. */
  void entry(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls);

  /**
   * Begins a search result entry that takes longer than a slice. Nothing is appended before it is
   * complete; no other answers are appended until then or until it is closed.
   */
  EntryInParts entryInParts(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls);

  /**
   * Reserves memory for an entry of a number of octets before it is appended. After false, flush
   * and end the slice: {@link #isWritable} is false until there is room, and the next call with the
   * same number succeeds then; or until that has taken too long, and the next call fails.
   *
   * @throws LdapOperationException adminLimitExceeded if there can never be room; busy if there has
   *     been none for as long as operations wait for a permit
   */
  default boolean reserve(long octets) throws LdapOperationException {
    return true;
  }

  /** Gives back what was reserved for an entry that is made in another way. */
  default void unreserve() {}

  /** Returns whether the last call of {@link #reserve} has found no room. */
  default boolean awaitsRoom() {
    return false;
  }

  /** Appends a search result reference. */
  default void reference(List<String> urls) {
    reference(urls, List.of());
  }

  /** Appends a search result reference with controls of its own. */
  void reference(List<String> urls, List<ResponseControl> controls);

  /**
   * Appends an intermediate response (RFC 4511, section 4.13).
   *
   * @param oid its identifier, or null
   * @param value its value in BER, or null
   */
  void intermediate(@Nullable String oid, byte @Nullable [] value);

  /** Appends the response that ends the request. */
  void result(Request request, LdapResult result);

  /** Appends the extended response that ends the request. */
  void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value);

  /** Appends the bind response that ends the request. */
  void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials);

  /**
   * Returns whether more may be appended: false if the client reads more slowly than the answers
   * come, or the buffer is full. After false, flush and end the slice.
   */
  boolean isWritable();

  /**
   * Hands everything that was appended to the connection.
   *
   * @param completion runs on the connection's event loop after the bytes were handed to the
   *     socket; null if there is nothing to do. Runs at once when called on the event loop.
   */
  void flush(@Nullable Runnable completion);

  /**
   * Drops all data not yet handed to the socket, because the answer is no longer wanted.
   * Completions run all the same. Called on the connection's event loop, also while a slice runs on
   * another thread; idempotent.
   */
  void suppress();

  /**
   * Returns whether the caller is on the connection's event loop, as far as that is known. Any
   * thread.
   */
  default boolean isOnLoop() {
    return false;
  }

  /** The result of the response that has ended the request; null before, or if none is kept. */
  default @Nullable LdapResult answered() {
    return null;
  }

  /** Search result entries that were appended; 0 if none are counted. */
  default int entries() {
    return 0;
  }

  /** Responses of all kinds that were appended; 0 if none are counted. */
  default int responses() {
    return 0;
  }
}
