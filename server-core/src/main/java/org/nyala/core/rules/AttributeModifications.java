package org.nyala.core.rules;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.SecretTypes;

/**
 * The effect of a Modify or a ModifyDN on an entry's attributes, change by change (RFC 4511,
 * sections 4.6 and 4.9; RFC 4525). Only touched attributes are examined; of those whose values are
 * kept apart, only the values in question. {@link EntryRules#check(AttributeModifications,
 * boolean)} checks whether the resulting entry is allowed.
 *
 * <p>Confined to one running operation.
 */
public final class AttributeModifications {
  private final Entry before;
  private final Map<AttributeDescription, LargeValueLookup> apart;
  private final boolean isPermissive;
  private boolean tellsPasswords = true;
  private final Map<AttributeDescription, PendingValues> touched = new LinkedHashMap<>();
  private Dn name;

  /**
   * Begins with an entry, which is not changed.
   *
   * @param before the entry as it is, without the attributes whose values are kept apart
   * @param apart the attributes whose values are kept apart
   * @param isPermissive true if it is no error to add existing values or remove missing ones
   */
  public AttributeModifications(
      Entry before, Map<AttributeDescription, LargeValueLookup> apart, boolean isPermissive) {
    this.before = before;
    this.apart = apart;
    this.isPermissive = isPermissive;
    name = before.dn();
  }

  /**
   * Takes an added password that is there already for one that is not: the client may not know what
   * is stored, and an answer would tell it.
   */
  public void withoutTellingPasswords() {
    tellsPasswords = false;
  }

  /**
   * Makes changes, one after the other.
   *
   * @throws LdapOperationException noSuchAttribute, attributeOrValueExists, inappropriateMatching,
   *     constraintViolation or invalidAttributeSyntax, as specified by RFC 4511; these
   *     modifications cannot be used then
   */
  public void apply(List<RequestedChange> changes) throws LdapOperationException {
    for (RequestedChange change : changes) {
      PendingValues values = working(change.description());
      switch (change.kind()) {
        case ADD -> add(values, change.values());
        case DELETE -> delete(values, change.values());
        case REPLACE -> values.replace(change.values());
        case INCREMENT -> increment(values, change.values());
      }
    }
  }

  private PendingValues working(AttributeDescription description) {
    PendingValues known = touched.get(description);
    if (known != null) {
      return known;
    }
    LargeValueLookup large = apart.get(description);
    List<byte[]> small = before.values(description);
    PendingValues begun =
        large != null
            ? new PendingValues(description, large)
            : new PendingValues(description, small == null ? List.of() : small);
    touched.put(description, begun);
    return begun;
  }

  private void add(PendingValues values, ValueSet added) throws LdapOperationException {
    if (values.count() > 0) {
      requireEquality(values.description(), "added to existing ones");
    }
    boolean isTold =
        !isPermissive && (tellsPasswords || !SecretTypes.isPassword(values.description().type()));
    for (byte[] value : added.toList()) {
      if (!values.add(value) && isTold) {
        throw refusal(
            ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
            values.description()
                + " has the value "
                + quoted(values.description().type(), value)
                + " already");
      }
    }
  }

  private void delete(PendingValues values, ValueSet removed) throws LdapOperationException {
    if (!removed.isEmpty()) {
      requireEquality(values.description(), "removed");
    }
    if (values.count() == 0) {
      if (!isPermissive) {
        throw noAttribute(values.description());
      }
      return;
    }
    if (removed.isEmpty()) {
      values.replace(removed);
      return;
    }
    for (byte[] value : removed.toList()) {
      if (!values.remove(value) && !isPermissive) {
        throw refusal(
            ResultCode.NO_SUCH_ATTRIBUTE,
            values.description()
                + " does not have the value "
                + quoted(values.description().type(), value));
      }
    }
  }

  private static LdapOperationException noAttribute(AttributeDescription description) {
    return refusal(
        ResultCode.NO_SUCH_ATTRIBUTE, "the entry does not have the attribute " + description);
  }

  /** RFC 4512, section 2.5.1: without an equality rule values only come and go together. */
  private static void requireEquality(AttributeDescription description, String what)
      throws LdapOperationException {
    if (description.type().equality() == null) {
      throw refusal(
          ResultCode.INAPPROPRIATE_MATCHING,
          description + " has no equality rule, so single values cannot be " + what);
    }
  }

  private void increment(PendingValues values, ValueSet by) throws LdapOperationException {
    if (values.count() == 0) {
      if (!isPermissive) {
        throw noAttribute(values.description());
      }
      values.replace(by);
      return;
    }
    if (values.isApart()) {
      throw refusal(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          values.description() + " has too many values to increment each");
    }
    values.replace(Increment.add(values.description(), values.toList(), by.toList().getFirst()));
  }

  /**
   * Renames the entry: it has the values of the new RDN afterwards.
   *
   * @param rules the rules that the new name obeys; not checked here
   * @param deleteOldRdn true if the values of the old RDN are removed, unless the new one has them
   */
  public void rename(EntryRules rules, Dn newName, boolean deleteOldRdn)
      throws LdapOperationException {
    if (deleteOldRdn) {
      for (NamingValue old : rules.namingValues(name)) {
        working(AttributeDescription.of(old.type())).remove(old.value());
      }
    }
    for (NamingValue added : rules.namingValues(newName)) {
      working(AttributeDescription.of(added.type())).add(added.value());
    }
    name = newName;
  }

  /** Returns whether the entry has lost a value of its RDN. */
  boolean hasLost(NamingValue naming) {
    AttributeDescription description = AttributeDescription.of(naming.type());
    PendingValues values = touched.get(description);
    return values != null
        && !values.contains(naming.value())
        && had(description, naming.type(), naming.value());
  }

  private boolean had(AttributeDescription description, AttributeType type, byte[] value) {
    LargeValueLookup large = apart.get(description);
    List<byte[]> small = before.values(description);
    return large != null
        ? large.contains(value)
        : small != null && ValueSet.of(type, small).contains(value);
  }

  Entry before() {
    return before;
  }

  /**
   * The entry as it is afterwards, without the attributes whose values are kept apart: a new one,
   * whose values are those of the entry before.
   */
  public Entry entry() {
    Entry entry = new Entry(name);
    for (AttributeDescription description : before.descriptions()) {
      List<byte[]> values = before.values(description);
      if (values != null && !touched.containsKey(description)) {
        addAll(entry, description, values);
      }
    }
    for (PendingValues values : touched.values()) {
      if (!values.isApart()) {
        addAll(entry, values.description(), values.toList());
      }
    }
    return entry;
  }

  private static void addAll(Entry entry, AttributeDescription description, List<byte[]> values) {
    for (int i = 0; i < values.size(); i++) {
      entry.add(description, values.get(i));
    }
  }

  /** The attributes whose values are kept apart, as they are afterwards. */
  public Map<AttributeDescription, LargeValueLookup> apart() {
    Map<AttributeDescription, LargeValueLookup> now = new HashMap<>(apart);
    for (PendingValues values : touched.values()) {
      if (values.isApart() && values.count() > 0) {
        now.put(values.description(), values);
      } else {
        now.remove(values.description());
      }
    }
    return now;
  }

  /**
   * Returns the changes to the attributes, in the order in which they were touched; only real
   * changes.
   */
  public List<AttributeChange> changes() {
    List<AttributeChange> changes = new ArrayList<>(touched.size());
    for (PendingValues values : touched.values()) {
      AttributeChange change = values.change();
      if (change != null) {
        changes.add(change);
      }
    }
    return changes;
  }
}
