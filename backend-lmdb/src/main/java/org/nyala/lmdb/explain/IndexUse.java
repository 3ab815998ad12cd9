package org.nyala.lmdb.explain;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexSelections;
import org.nyala.lmdb.format.IndexSelections.Selected;
import org.nyala.lmdb.format.Trigrams;

/**
 * The indexes that answer a test, and the missing ones that would answer it.
 *
 * <p>Immutable.
 *
 * @param present each of one kind
 * @param missing one for each stored attribute type for which none is there, as far as the type can
 *     have it
 * @param isPossible true if the test could be answered if the missing ones were there
 */
record IndexUse(List<IndexDefinition> present, List<IndexDefinition> missing, boolean isPossible) {
  private static final int ONE_GRAM = 1;

  /* The order in which they are advised. */
  private static final List<IndexKind> OF_VALUES =
      List.of(IndexKind.EQUALITY, IndexKind.ORDERING, IndexKind.PRESENCE);
  private static final List<IndexKind> OF_PIECES = List.of(IndexKind.SUBSTRING);
  private static final List<IndexKind> OF_BEGINNINGS =
      List.of(IndexKind.EQUALITY, IndexKind.SUBSTRING);

  IndexUse {
    present = List.copyOf(present);
    missing = List.copyOf(missing);
  }

  /** Returns the indexes for a test without parts. */
  static IndexUse of(CompiledFilter test, IndexSelections selections) {
    AttributeSelector attribute = attribute(test);
    Set<IndexDefinition> present = new LinkedHashSet<>();
    List<IndexDefinition> missing = new ArrayList<>();
    boolean isPossible = attribute != null;
    if (attribute != null) {
      for (Selected selected : selections.of(attribute)) {
        IndexKind kind = answering(test, selected);
        if (kind != null) {
          present.add(new IndexDefinition(selected.type(), Set.of(kind)));
          continue;
        }
        IndexDefinition wanted = wanted(test, selected);
        if (wanted == null) {
          isPossible = false;
        } else {
          missing.add(wanted);
        }
      }
    }
    return new IndexUse(List.copyOf(present), missing, isPossible);
  }

  /** Returns the indexes that answer the test as text, each as attribute:kind. */
  String presentText() {
    return present.stream().map(IndexDefinition::toString).collect(Collectors.joining(" "));
  }

  private static @Nullable AttributeSelector attribute(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.Presence presence -> presence.attribute();
      case CompiledFilter.ValueItem value -> value.attribute();
      case CompiledFilter.SubstringsItem pieces -> pieces.attribute();
      case CompiledFilter.ExtensibleItem extensible ->
          extensible.attribute() == null || extensible.dnAttributes()
              ? null
              : extensible.attribute();
      default -> null;
    };
  }

  /** Returns the kind of index of a type that answers a test; null if none does. */
  private static @Nullable IndexKind answering(CompiledFilter test, Selected selected) {
    return switch (test) {
      case CompiledFilter.Presence _ ->
          selected.kinds().contains(IndexKind.PRESENCE) ? IndexKind.PRESENCE : null;
      case CompiledFilter.ValueItem value ->
          switch (value.comparison()) {
            case EQUALITY -> selected.answersEquality(value.rule()) ? IndexKind.EQUALITY : null;
            case GREATER_OR_EQUAL, LESS_OR_EQUAL -> selected.rangeKind(value.rule());
          };
      case CompiledFilter.ExtensibleItem extensible ->
          selected.answersEquality(extensible.rule()) ? IndexKind.EQUALITY : null;
      case CompiledFilter.SubstringsItem pieces -> answering(pieces, selected);
      default -> null;
    };
  }

  private static @Nullable IndexKind answering(
      CompiledFilter.SubstringsItem pieces, Selected selected) {
    if (pieces.initial() != null && selected.answersEquality(pieces.rule())) {
      return IndexKind.EQUALITY;
    }
    boolean hasGrams = !Trigrams.of(pieces, ONE_GRAM).isEmpty();
    return hasGrams && selected.answersSubstrings(pieces.rule()) ? IndexKind.SUBSTRING : null;
  }

  /** Returns the kinds to try; the beginning of a value is found in the smaller index. */
  private static List<IndexKind> order(CompiledFilter test) {
    if (test instanceof CompiledFilter.SubstringsItem pieces) {
      return pieces.initial() == null ? OF_PIECES : OF_BEGINNINGS;
    }
    return OF_VALUES;
  }

  private static @Nullable IndexDefinition wanted(CompiledFilter test, Selected selected) {
    for (IndexKind kind : order(test)) {
      Set<IndexKind> more = EnumSet.of(kind);
      more.addAll(selected.kinds());
      Selected with = new Selected(selected.attribute(), selected.type(), more, selected.isWhole());
      if (IndexDefinition.isPossible(selected.type(), kind) && answering(test, with) == kind) {
        return new IndexDefinition(selected.type(), Set.of(kind));
      }
    }
    return null;
  }
}
