package org.nyala.integrity;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Keeps names that are attribute values in step with the entries that they name: when an entry is
 * renamed or moved, with everything below it, the values follow; when it is deleted, they go. All
 * in the commit of the change itself.
 *
 * <p>A value by which the referring entry is itself named stays as it is. A {@link LastReference}
 * decides on a delete that would leave an attribute without values which its entry must have. Added
 * values are not checked: they may name entries that do not exist.
 *
 * <p>Immutable.
 */
public final class ReferentialIntegrityRule implements ChangeRule {
  private final Schema schema;
  private final List<AttributeSelector> attributes;
  private final LastReference last;
  private final int maximumReferences;
  private final boolean followsMissing;

  /**
   * Creates the rule.
   *
   * @param attributes the attributes whose values are names; each should have an equality index
   * @param last the fate of the last value of an attribute
   * @param maximumReferences the maximum number of values that one change may rewrite, at least 1:
   *     they are kept in memory until the commit
   * @param followsMissing true if values that name no entry, but one that would stand below a
   *     renamed entry with others below it, follow as well: all values of the attributes are looked
   *     at then
   */
  public ReferentialIntegrityRule(
      Schema schema,
      List<AttributeType> attributes,
      LastReference last,
      int maximumReferences,
      boolean followsMissing) {
    this.schema = schema;
    this.attributes =
        attributes.stream()
            .map(type -> new AttributeSelector(AttributeDescription.of(type)))
            .toList();
    this.last = last;
    this.maximumReferences = maximumReferences;
    this.followsMissing = followsMissing;
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
      case ResolvedChange.Delete delete ->
          repair(transaction, cause, pace).delete(delete, last, derived);
      case ResolvedChange.Rename rename -> {
        // Names that differ in case alone are the same, and are written anew all the same.
        if (!Arrays.equals(rename.dn().raw(), rename.newDn().raw())) {
          repair(transaction, cause, pace).rename(rename, followsMissing, derived);
        }
      }
      case ResolvedChange.Add _, ResolvedChange.Modify _ -> {}
    }
  }

  private ReferenceRepair repair(ReadTransaction transaction, ChangeCause cause, Pace pace) {
    return new ReferenceRepair(transaction, schema, attributes, cause, maximumReferences, pace);
  }

  /**
   * Finds the values that name entries which a change renames or deletes, and derives the changes
   * to them.
   *
   * <p>Confined to the writer's thread, for one change.
   */
  private static final class ReferenceRepair {
    private static final byte[] UID_BEGINS = {'#', '\''};

    /** Names below a renamed entry that are kept in memory at once. */
    private static final int BATCH = 4096;

    private record Delta(List<byte[]> removed, List<byte[]> added) {}

    private record Referrer(Dn name, Map<AttributeDescription, Delta> deltas) {}

    private final ReadTransaction transaction;
    private final Schema schema;
    private final References references;
    private final ReferringValues values;
    private final List<AttributeSelector> attributes = new ArrayList<>();
    private final ChangeCause cause;
    private final int maximum;
    private final Map<Long, Referrer> referrers = new LinkedHashMap<>();
    private int count;

    ReferenceRepair(
        ReadTransaction transaction,
        Schema schema,
        List<AttributeSelector> attributes,
        ChangeCause cause,
        int maximum,
        Pace pace) {
      this.transaction = transaction;
      this.schema = schema;
      this.references = new References(transaction, schema, Integer.MAX_VALUE, pace);
      this.values = new ReferringValues(transaction, schema, pace);
      this.cause = cause;
      this.maximum = maximum;
      for (AttributeSelector attribute : attributes) {
        if (references.isInUse(attribute)) {
          this.attributes.add(attribute);
        }
      }
    }

    /** Removes the values that name an entry which is deleted. */
    void delete(
        ResolvedChange.Delete change, LastReference last, List<ResolvedChange.Modify> derived)
        throws LdapOperationException {
      boolean fillsOptional = last instanceof LastReference.Filled filled && filled.fillsOptional();
      collect(change.dn(), null, change.entryId());
      for (Map.Entry<Long, Referrer> each : referrers.entrySet()) {
        Referrer referrer = each.getValue();
        values.show(each.getKey());
        for (Map.Entry<AttributeDescription, Delta> delta : referrer.deltas().entrySet()) {
          if (isLeftEmpty(referrer, delta.getKey())
              && (fillsOptional || values.isRequired(delta.getKey().type()))) {
            leaveLast(referrer, delta.getKey(), delta.getValue(), last);
          }
        }
        addModify(referrer.name(), each.getKey(), referrer, derived);
      }
    }

    private boolean isLeftEmpty(Referrer referrer, AttributeDescription description) {
      return values.count(description.type()) <= removed(referrer, description);
    }

    /** Decides on an attribute of which no value is left. */
    private void leaveLast(
        Referrer referrer, AttributeDescription description, Delta delta, LastReference last)
        throws LdapOperationException {
      switch (last) {
        case LastReference.Refused _ -> throw lastRefused(referrer, description);
        case LastReference.Kept _ -> delta.removed().clear();
        case LastReference.Filled filled -> fill(description, delta, filled.placeholder());
      }
    }

    private LdapOperationException lastRefused(
        Referrer referrer, AttributeDescription description) {
      return refusal(
          ResultCode.OBJECT_CLASS_VIOLATION,
          cause.isRuled()
              ? "another entry must go on naming this one"
              : "the entry is the last value of the attribute "
                  + description
                  + " of "
                  // Others may not know that there is such an entry.
                  + (cause.identity().isRootOf(referrer.name())
                      ? quoted(referrer.name().toString())
                      : "an entry")
                  + " that must have it");
    }

    private void fill(AttributeDescription description, Delta delta, Dn placeholder) {
      byte[] normalized = placeholder.normalized();
      if (delta.removed().removeIf(value -> values.isName(description, value, normalized))) {
        return;
      }
      delta.added().add(placeholder.raw());
    }

    private static int removed(Referrer referrer, AttributeDescription description) {
      int removed = 0;
      for (Map.Entry<AttributeDescription, Delta> delta : referrer.deltas().entrySet()) {
        if (delta.getKey().type().equals(description.type())) {
          removed += delta.getValue().removed().size();
        }
      }
      return removed;
    }

    /**
     * Rewrites the values that name an entry which is renamed, or one below it.
     *
     * @param followsMissing true to rewrite those, too, that name no entry, but one that would
     *     stand below it
     */
    void rename(
        ResolvedChange.Rename change, boolean followsMissing, List<ResolvedChange.Modify> derived)
        throws LdapOperationException {
      if (attributes.isEmpty()) {
        return;
      }
      collect(change.dn(), change.newDn(), ReadTransaction.NO_ENTRY);
      if (transaction.hasSubordinates(change.entryId())) {
        renameBelow(change);
        if (followsMissing) {
          renameMissing(change);
        }
      }
      for (Map.Entry<Long, Referrer> each : referrers.entrySet()) {
        Referrer referrer = each.getValue();
        if (each.getKey() == change.entryId()) {
          // The request's own change to the attribute takes precedence.
          change.changes().forEach(own -> referrer.deltas().remove(own.description()));
        }
        addModify(moved(referrer.name(), change), each.getKey(), referrer, derived);
      }
    }

    private void renameBelow(ResolvedChange.Rename change) throws LdapOperationException {
      SearchSpec below =
          new SearchSpec(
              change.entryId(), Scope.SUBORDINATE, CompiledFilter.Constant.TRUE, false, false);
      List<Dn> names = new ArrayList<>();
      long[] last = new long[1];
      do {
        names.clear();
        references.visit(
            below,
            last[0],
            entry -> {
              names.add(references.nameOf(entry));
              last[0] = entry.id();
              return names.size() < BATCH;
            });
        for (Dn name : names) {
          collect(name, moved(name, change), ReadTransaction.NO_ENTRY);
        }
      } while (names.size() == BATCH);
    }

    /** Rewrites the values that name no entry, but one that would stand below the renamed one. */
    private void renameMissing(ResolvedChange.Rename change) throws LdapOperationException {
      for (AttributeSelector attribute : attributes) {
        MatchingRule rule = attribute.description().type().equality();
        if (rule != null) {
          NamesBelow below = new NamesBelow(change.dn().normalized());
          references.visitCandidates(
              CompiledFilter.SubstringsItem.beginning(attribute, rule, new byte[0]),
              entry -> noteMissing(entry, attribute, below, change));
        }
        requireFew();
      }
    }

    private boolean noteMissing(
        EntryView entry,
        AttributeSelector attribute,
        NamesBelow below,
        ResolvedChange.Rename change) {
      Referrer known = referrers.get(entry.id());
      Referrer referrer = known;
      for (int i = 0; i < entry.attributeCount(); i++) {
        if (attribute.selects(transaction.attributes(), entry.attributeId(i))) {
          AttributeDescription description =
              transaction.attributes().description(entry.attributeId(i));
          List<byte[]> found = values.below(entry, i, below);
          Set<ByteBuffer> noted = found.isEmpty() ? Set.of() : noted(known, description);
          for (byte[] value : found) {
            if (!noted.contains(ByteBuffer.wrap(value))) {
              referrer = referrer == null ? referrer(entry) : referrer;
              Dn name = parsed(NamesBelow.name(description.type(), value));
              note(entry, i, value, referrer, description, name, moved(name, change));
            }
          }
        }
      }
      if (known == null && referrer != null && !referrer.deltas().isEmpty()) {
        referrers.put(entry.id(), referrer);
      }
      return count <= maximum;
    }

    private Dn parsed(String name) {
      try {
        return DnParser.parse(schema, name);
      } catch (InvalidDnException e) {
        throw new IllegalStateException("a value that has a normal form is no name", e);
      }
    }

    /** Returns the values that are rewritten already. */
    private static Set<ByteBuffer> noted(
        @Nullable Referrer referrer, AttributeDescription description) {
      Delta delta = referrer == null ? null : referrer.deltas().get(description);
      Set<ByteBuffer> noted = new HashSet<>();
      if (delta != null) {
        delta.removed().forEach(value -> noted.add(ByteBuffer.wrap(value)));
      }
      return noted;
    }

    private Referrer referrer(EntryView entry) {
      return new Referrer(references.nameOf(entry), new LinkedHashMap<>());
    }

    /** The name that an entry has after a rename. */
    private Dn moved(Dn name, ResolvedChange.Rename change) {
      return Names.moved(schema, name, change.dn(), change.newDn());
    }

    /**
     * Collects the changes to the values that are a name.
     *
     * @param after the name that takes its place; null for none
     * @param gone the entry whose own values do not matter
     */
    private void collect(Dn before, @Nullable Dn after, long gone) throws LdapOperationException {
      for (AttributeSelector attribute : attributes) {
        references.visit(
            References.test(attribute, before.normalized()),
            0,
            entry -> entry.id() == gone || note(entry, attribute, before, after, false));
        MatchingRule rule = attribute.description().type().equality();
        boolean mayHaveUid = NamesBelow.mayHaveUid(attribute.description().type());
        if (mayHaveUid && rule != null) {
          references.visit(
              CompiledFilter.SubstringsItem.beginning(
                  attribute, rule, withUid(before.normalized())),
              0,
              entry -> entry.id() == gone || note(entry, attribute, before, after, true));
        }
        requireFew();
      }
    }

    private void requireFew() throws LdapOperationException {
      if (count > maximum) {
        throw refusal(
            ResultCode.ADMIN_LIMIT_EXCEEDED,
            "more than " + maximum + " values refer to what is changed");
      }
    }

    /** Returns the bytes with which the normal form of a name with a bit string begins. */
    private static byte[] withUid(byte[] name) {
      byte[] prefix = Arrays.copyOf(name, name.length + UID_BEGINS.length);
      System.arraycopy(UID_BEGINS, 0, prefix, name.length, UID_BEGINS.length);
      return prefix;
    }

    private boolean note(
        EntryView entry,
        AttributeSelector attribute,
        Dn before,
        @Nullable Dn after,
        boolean isUid) {
      Referrer known = referrers.get(entry.id());
      Referrer referrer = known == null ? referrer(entry) : known;
      if (cause.deletes(referrer.name())) {
        return true;
      }
      for (int i = 0; i < entry.attributeCount(); i++) {
        if (attribute.selects(transaction.attributes(), entry.attributeId(i))) {
          AttributeDescription description =
              transaction.attributes().description(entry.attributeId(i));
          List<byte[]> found =
              isUid
                  ? values.withUid(entry, i, withUid(before.normalized()))
                  : values.equal(entry, i, before);
          for (byte[] value : found) {
            note(entry, i, value, referrer, description, before, after);
          }
        }
      }
      if (known == null && !referrer.deltas().isEmpty()) {
        referrers.put(entry.id(), referrer);
      }
      return count <= maximum;
    }

    private void note(
        EntryView entry,
        int index,
        byte[] value,
        Referrer referrer,
        AttributeDescription description,
        Dn before,
        @Nullable Dn after) {
      if (values.isNaming(referrer.name(), description, value)) {
        return;
      }
      byte[] replacement = after == null ? null : replacement(value, description, before, after);
      if (replacement != null && Arrays.equals(replacement, value)) {
        return;
      }
      Delta delta =
          referrer
              .deltas()
              .computeIfAbsent(description, _ -> new Delta(new ArrayList<>(1), new ArrayList<>(1)));
      delta.removed().add(value);
      count++;
      boolean isSame = before.equals(after);
      if (replacement != null && (isSame || !values.contains(entry, index, replacement))) {
        delta.added().add(replacement);
      }
    }

    /** Returns the new name with the suffix of the old one. */
    private byte[] replacement(
        byte[] value, AttributeDescription description, Dn before, Dn after) {
      byte[] uid = values.uid(description, value, before.normalized().length);
      byte[] replacement = Arrays.copyOf(after.raw(), after.raw().length + uid.length);
      System.arraycopy(uid, 0, replacement, after.raw().length, uid.length);
      return replacement;
    }

    private static void addModify(
        Dn name, long id, Referrer referrer, List<ResolvedChange.Modify> derived) {
      List<AttributeChange> changes = new ArrayList<>(referrer.deltas().size());
      referrer
          .deltas()
          .forEach(
              (description, delta) -> {
                if (!delta.removed().isEmpty() || !delta.added().isEmpty()) {
                  changes.add(
                      new AttributeChange.Updated(description, delta.removed(), delta.added()));
                }
              });
      if (!changes.isEmpty()) {
        derived.add(new ResolvedChange.Modify(name, id, changes));
      }
    }
  }
}
