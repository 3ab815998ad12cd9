package org.nyala.core.access.decide;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.rights.Reach;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * A client's rights in the scope of a search, by the rules that remain there.
 *
 * <p>Thread-safe: immutable but for answers that are kept.
 */
public final class DecidedReach implements Reach {
  private static final int MOST_TESTS = 256;
  private static final int MOST_KINDS = 4096;

  private final CompiledRules rules;
  private final Program program;
  private final boolean isSafe;
  private volatile @Nullable Found last;
  private final ConcurrentHashMap<Question, Extent> kinds = new ConcurrentHashMap<>();
  private volatile Answers tests = new Answers(AttributeTable.EMPTY, new ConcurrentHashMap<>());

  DecidedReach(CompiledRules rules, Program program, boolean isSafe) {
    this.rules = rules;
    this.isSafe = isSafe;
    this.program = program;
  }

  @Override
  public Extent of(AttributeDescription attribute, Right right) {
    return of(attribute, right, false);
  }

  @Override
  public Extent ofEntries(Right right) {
    return of(Pseudo.ENTRY, right);
  }

  /** Returns the entries that the client has a right to, or to whose children. */
  Extent of(Pseudo pseudo, Right right) {
    return of(Subject.of(pseudo), right);
  }

  @Override
  public Extent onValues(AttributeDescription attribute, Right right) {
    return of(attribute, right, true);
  }

  private Extent of(AttributeDescription asked, Right right, boolean isAboutValues) {
    AttributeDescription attribute = rules.alike(asked);
    Question test = new Question(attribute, right, isAboutValues);
    Extent found = kinds.get(test);
    if (found == null) {
      found = of(Subject.of(attribute), right, isAboutValues);
      if (kinds.size() < MOST_KINDS && !attribute.isLong()) {
        kinds.put(test, found);
      }
    }
    return found;
  }

  @Override
  public Extent ofTest(
      AttributeTable table,
      AttributeDescription attribute,
      Right right,
      boolean isAboutValues,
      LongConsumer work) {
    Answers known = tests;
    if (known.table != table) {
      known = new Answers(table, new ConcurrentHashMap<>());
      tests = known;
    }
    Found latest = last;
    if (latest != null && latest.isOf(table, attribute, right, isAboutValues)) {
      return latest.extent;
    }
    Question test = new Question(attribute, right, isAboutValues);
    Extent found = known.extents.get(test);
    if (found == null) {
      found = of(attribute, right, isAboutValues);
      if (found != Extent.NOWHERE) {
        for (AttributeDescription kind : rules.kinds(table, attribute, work)) {
          found = found.and(of(kind, right, isAboutValues));
        }
      }
      if (known.extents.size() < MOST_TESTS && !attribute.isLong()) {
        known.extents.put(test, found);
      }
    }
    last = new Found(table, test, found);
    return found;
  }

  /** The last answer, which is that of most searches. */
  private record Found(AttributeTable table, Question test, Extent extent) {
    boolean isOf(
        AttributeTable of, AttributeDescription attribute, Right right, boolean isAboutValues) {
      return table == of
          && test.attribute.equals(attribute)
          && test.right == right
          && test.isAboutValues == isAboutValues;
    }
  }

  private record Question(AttributeDescription attribute, Right right, boolean isAboutValues) {}

  private record Answers(AttributeTable table, ConcurrentHashMap<Question, Extent> extents) {}

  private Extent of(Subject subject, Right right) {
    return of(subject, right, false);
  }

  private Extent of(Subject subject, Right right, boolean isAboutValues) {
    Extent own = own(subject, right, isAboutValues);
    if (own != Extent.NOWHERE && subject.isAboutChildren()) {
      Extent children = of(Pseudo.CHILDREN, right);
      return children == Extent.NOWHERE ? children : own.and(children);
    }
    return own;
  }

  private Extent own(Subject subject, Right right, boolean isAboutValues) {
    Bounds bounds = Bounds.of(program.about(subject, isSafe), Subject.KNOWN, isAboutValues);
    boolean isValueOfSecret = isAboutValues && subject.isSecret();
    int always = isValueOfSecret ? Rights.ofSecret(bounds.always()) : bounds.always();
    int ever = isValueOfSecret ? Rights.ofSecret(bounds.ever()) : bounds.ever();
    if (Rights.has(always, right)) {
      return Extent.EVERYWHERE;
    }
    return Rights.has(ever, right) ? Extent.MIXED : Extent.NOWHERE;
  }
}
