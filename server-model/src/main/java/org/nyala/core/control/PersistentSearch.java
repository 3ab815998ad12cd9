package org.nyala.core.control;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;

/**
 * The value of the persistent search control, and the control that accompanies its results
 * (draft-ietf-ldapext-psearch).
 *
 * <p>Immutable.
 *
 * @param changeTypes the kinds of changes to return: {@link #ADD}, {@link #DELETE}, {@link
 *     #MODIFY}, {@link #MODIFY_DN} together; at least one
 * @param changesOnly true to leave out the entries that exist at the start
 * @param returnsChanges true if changed entries come with a control that describes the change
 */
public record PersistentSearch(int changeTypes, boolean changesOnly, boolean returnsChanges) {
  /** An entry was added. */
  public static final int ADD = 1;

  /** An entry was deleted. */
  public static final int DELETE = 2;

  /** An entry was modified. */
  public static final int MODIFY = 4;

  /** An entry was renamed. */
  public static final int MODIFY_DN = 8;

  private static final int ALL = ADD | DELETE | MODIFY | MODIFY_DN;
  private static final String ENTRY_CHANGE = "2.16.840.1.113730.3.4.7";
  private static final ResponseControl ADDED = entryChange(ADD);
  private static final ResponseControl DELETED = entryChange(DELETE);
  private static final ResponseControl MODIFIED = entryChange(MODIFY);

  /**
   * The control of a request; null if it has none.
   *
   * @throws LdapOperationException protocolError if it does not conform to the draft
   */
  public static @Nullable PersistentSearch of(RequestControls controls)
      throws LdapOperationException {
    return controls.decode(ControlType.PERSISTENT_SEARCH, PersistentSearch::decode);
  }

  private static PersistentSearch decode(BerReader value) throws InvalidBerException {
    BerReader sequence = value.sequence();
    int changeTypes = sequence.integer();
    boolean changesOnly = sequence.bool();
    boolean returnsChanges = sequence.bool();
    sequence.skipExtensions();
    if (changeTypes < 1 || changeTypes > ALL) {
      throw new InvalidBerException("persistent search for changes of kind " + changeTypes);
    }
    return new PersistentSearch(changeTypes, changesOnly, returnsChanges);
  }

  /** Returns whether changes of a kind are to be returned. */
  public boolean wants(int changeType) {
    return (changeTypes & changeType) != 0;
  }

  /** The control of an entry that was added, deleted or modified. */
  public static ResponseControl changed(int changeType) {
    return changeType == ADD ? ADDED : changeType == DELETE ? DELETED : MODIFIED;
  }

  /**
   * The control of an entry that was renamed.
   *
   * @param previousDn its name before
   */
  public static ResponseControl renamed(byte[] previousDn) {
    BerWriter content = new BerWriter().enumerated(MODIFY_DN).octets(previousDn);
    return new ResponseControl(ENTRY_CHANGE, new BerWriter().sequence(content).toByteArray());
  }

  private static ResponseControl entryChange(int changeType) {
    BerWriter content = new BerWriter().enumerated(changeType);
    return new ResponseControl(ENTRY_CHANGE, new BerWriter().sequence(content).toByteArray());
  }
}
