package org.nyala.lmdb;

import java.util.List;

/**
 * What an import came to. Every record that was read was either imported or rejected.
 *
 * <p>Immutable.
 *
 * @param entriesRead records read
 * @param entriesImported entries now in the store
 * @param entriesRejected records that could not be imported
 * @param suffixes the naming contexts' DNs
 * @param firstRejections the first few reasons, each with its line
 * @param bytesRead bytes of LDIF
 * @param elapsedNanos how long it took
 */
public record ImportResult(
    long entriesRead,
    long entriesImported,
    long entriesRejected,
    List<String> suffixes,
    List<String> firstRejections,
    long bytesRead,
    long elapsedNanos) {
  /** Copies the lists. */
  public ImportResult {
    suffixes = List.copyOf(suffixes);
    firstRejections = List.copyOf(firstRejections);
  }
}
