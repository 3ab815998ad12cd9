package org.nyala.core.access.enforce;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.Schema;

/**
 * The check of changes of rules that the directory holds: they can be read, and stand where they
 * act. Rules move to another place by root's doing alone.
 *
 * <p>Immutable.
 */
final class DelegationCheck implements ChangeRule {
  private final Schema schema;
  private final AccessRules file;
  private final RulesText text;
  private final Map<Dn, RulesEntry> entries;

  /**
   * Creates the check.
   *
   * @param file the rules of the file, which delegate
   * @param text the bounds of rules
   */
  DelegationCheck(AccessRules file, RulesText text, Schema schema) {
    this.schema = schema;
    this.file = file;
    this.text = text;
    this.entries = DelegatedRules.entries(file, schema);
  }

  @Override
  public void check(
      ReadTransaction transaction,
      ResolvedChange change,
      ChangeCause cause,
      List<ResolvedChange.Modify> derived,
      Pace pace)
      throws LdapOperationException {
    switch (change) {
      case ResolvedChange.Add add -> requireRules(add.entry());
      case ResolvedChange.Modify modify -> {
        if (RulesEntry.isChangedBy(modify.changes())) {
          requireRules(after(transaction, modify));
        }
      }
      case ResolvedChange.Rename rename -> {
        if (!cause.identity().isRoot()) {
          requireNoRules(transaction, rename);
        }
      }
      case ResolvedChange.Delete _ -> {}
    }
  }

  private static Entry after(ReadTransaction transaction, ResolvedChange.Modify modify) {
    EntryView view = new EntryView();
    if (!transaction.read(modify.entryId(), view)) {
      throw new IllegalStateException("entry " + modify.entryId() + " has gone");
    }
    return ChangedEntry.of(transaction, view, modify.dn(), modify.changes());
  }

  private void requireRules(Entry changed) throws LdapOperationException {
    if (!RulesEntry.isHeldBy(changed)) {
      return;
    }
    Dn name = changed.dn();
    RulesEntry entry = name.rdnCount() == 0 ? null : entries.get(name.parent());
    if (entry == null || !entry.name().equals(name)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "accessRule acts only in 'cn=access rules' directly below the top of a subtree that the"
              + " file of rules delegates");
    }
    try {
      entry.read(changed, file, text, schema);
    } catch (InvalidRulesException e) {
      throw new LdapOperationException(
          ResultCode.CONSTRAINT_VIOLATION, "accessRule: " + e.getMessage());
    }
  }

  private void requireNoRules(ReadTransaction transaction, ResolvedChange.Rename rename)
      throws LdapOperationException {
    for (RulesEntry entry : entries.values()) {
      Dn before = before(entry.name(), rename);
      if (before != null && transaction.find(before) != ReadTransaction.NO_ENTRY) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "access rules would begin or cease to act: only root may move them");
      }
    }
  }

  /** Returns the present name of the entry that a rename moves to a name or away from it. */
  private @Nullable Dn before(Dn name, ResolvedChange.Rename rename) {
    if (name.isWithin(rename.dn()) || !name.isWithin(rename.newDn())) {
      return name.isWithin(rename.dn()) ? name : null;
    }
    Dn before = rename.dn();
    for (int i = name.rdnCount() - rename.newDn().rdnCount() - 1; i >= 0; i--) {
      try {
        before = DnParser.parse(schema, name.rdn(i), Integer.MAX_VALUE, 1).under(before);
      } catch (InvalidDnException e) {
        throw new IllegalStateException(name + " has an invalid RDN", e);
      }
    }
    return before;
  }
}
