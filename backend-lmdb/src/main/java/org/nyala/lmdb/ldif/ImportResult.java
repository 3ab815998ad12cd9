package org.nyala.lmdb.ldif;

import java.util.List;
import org.nyala.lmdb.rejection.UndefinedName;

/**
 * The result of an import. Every record that was read was either imported or rejected.
 *
 * <p>Immutable.
 *
 * @param entriesRead records read
 * @param entriesImported entries now in the store
 * @param entriesRejected records that could not be imported
 * @param suffixes the naming contexts' DNs
 * @param firstRejections the first few reasons, each with its line
 * @param rejectionCauses a line for each cause of rejections, the most frequent first, with the
 *     number of records and the first ones
 * @param undefinedNames the names that rejected entries use and that nothing defines
 * @param warnings a line about each kind of imported data that will not serve its purpose
 * @param bytesRead bytes of LDIF
 * @param elapsedNanos the duration
 */
public record ImportResult(
    long entriesRead,
    long entriesImported,
    long entriesRejected,
    List<String> suffixes,
    List<String> firstRejections,
    List<String> rejectionCauses,
    List<UndefinedName> undefinedNames,
    List<String> warnings,
    long bytesRead,
    long elapsedNanos) {
  public ImportResult {
    suffixes = List.copyOf(suffixes);
    firstRejections = List.copyOf(firstRejections);
    rejectionCauses = List.copyOf(rejectionCauses);
    undefinedNames = List.copyOf(undefinedNames);
    warnings = List.copyOf(warnings);
  }
}
