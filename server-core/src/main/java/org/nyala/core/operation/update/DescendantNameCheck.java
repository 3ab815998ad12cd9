package org.nyala.core.operation.update;

import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;

/**
 * Ensures that the entries below a renamed entry keep names that clients can use: none longer or
 * deeper than the limits.
 *
 * <p>A rename costs the same for any number of entries below, with one exception: if the name
 * becomes longer or gets more RDNs, and there are entries below it, all of these are walked once,
 * until the first name that would be too long. That takes about as long as a search that returns
 * nothing, and all other updates wait for it.
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class DescendantNameCheck {
  /** The shortest RDN with its comma. */
  private static final int SHORTEST_RDN = 3;

  private final Schema schema;
  private final ServerLimits limits;
  private final WriteTransaction transaction;

  DescendantNameCheck(ReadServices reading, WriteTransaction transaction) {
    this.schema = reading.schema();
    this.limits = reading.limits();
    this.transaction = transaction;
  }

  /**
   * Checks the names that a rename makes.
   *
   * @param id the id of the renamed entry
   * @param superior the entry id of its superior after that; {@link ReadTransaction#NO_ENTRY} at
   *     the top
   * @throws LdapOperationException adminLimitExceeded if one below it would be too long
   */
  void check(long id, Dn name, Dn newName, long superior) throws LdapOperationException {
    requireShort(newName, superior);
    int growth = storedLength(newName, superior) - length(id);
    int deeper = newName.rdnCount() - name.rdnCount();
    if ((growth <= 0 && deeper <= 0) || !transaction.hasSubordinates(id)) {
      return;
    }
    SearchSpec below =
        new SearchSpec(id, Scope.SUBORDINATE, CompiledFilter.Constant.TRUE, false, false);
    EntryView view = new EntryView();
    try (EntryCursor cursor = transaction.search(below, 0)) {
      while (cursor.next(view, Integer.MAX_VALUE) == EntryCursor.Step.ENTRY) {
        byte[] dn = view.dn();
        if (dn.length + growth > limits.requests().dnLength() || isTooDeep(dn, deeper)) {
          throw new LdapOperationException(
              ResultCode.ADMIN_LIMIT_EXCEEDED, "an entry below it would get too long a name");
        }
      }
    }
  }

  /**
   * Checks that a client can use a name as it is shown.
   *
   * @param superior the entry id of its superior; {@link ReadTransaction#NO_ENTRY} at the top
   * @throws LdapOperationException adminLimitExceeded if the superior's spelling makes it too long
   */
  void requireShort(Dn name, long superior) throws LdapOperationException {
    if (storedLength(name, superior) > limits.requests().dnLength()) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the name would be too long with the stored spelling of its superior");
    }
  }

  private int length(long id) {
    EntryView view = new EntryView();
    return transaction.read(id, view) ? view.dn().length : 0;
  }

  /** Length of a name as it is shown: its superior's is spelt as that was when it was stored. */
  private int storedLength(Dn name, long superior) {
    int rdn = name.rdn(0).length;
    return superior == ReadTransaction.NO_ENTRY ? name.raw().length : rdn + 1 + length(superior);
  }

  /**
   * Returns whether a name would have too many RDNs; most are too short for that, and are not
   * examined.
   */
  private boolean isTooDeep(byte[] dn, int deeper) {
    if (deeper <= 0 || (dn.length + 1) / SHORTEST_RDN + deeper <= limits.requests().dnRdns()) {
      return false;
    }
    int rdns = DnParser.parseStored(schema, dn).rdnCount();
    return rdns + deeper > limits.requests().dnRdns();
  }
}
