package org.nyala.lmdb.ldif;

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
 * @param warnings a line about each kind of thing that was imported and will not do what it is for
 * @param bytesRead bytes of LDIF
 * @param elapsedNanos how long it took
 */
public record ImportResult(
    long entriesRead,
    long entriesImported,
    long entriesRejected,
    List<String> suffixes,
    List<String> firstRejections,
    List<String> warnings,
    long bytesRead,
    long elapsedNanos) {
  /** Copies the lists. */
  public ImportResult {
    suffixes = List.copyOf(suffixes);
    firstRejections = List.copyOf(firstRejections);
    warnings = List.copyOf(warnings);
  }
}
