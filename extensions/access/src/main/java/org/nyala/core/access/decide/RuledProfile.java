package org.nyala.core.access.decide;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.AttributeRights;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * A client's rights to entries that are treated alike.
 *
 * <p>Thread-safe: the answers for a table of attributes are computed once, or several times with
 * the same result. Hot. Arrays are borrowed and never written to by others.
 */
public final class RuledProfile implements Node, Profile {
  private static final int MOST_KNOWN = 1024;
  private static final int SELECTIONS = 16;

  private final DecidedRules rules;
  private final Program program;
  private final int entry;
  private final int children;
  private final boolean hasValueChecks;
  private final ConcurrentHashMap<AttributeDescription, AttributeAnswer> known =
      new ConcurrentHashMap<>();
  private final AtomicReferenceArray<@Nullable Selected> selections =
      new AtomicReferenceArray<>(SELECTIONS);
  private final AtomicReference<@Nullable TableAnswers> answers = new AtomicReference<>();

  /** True if the profile is kept with the rules of the client, which count what it takes. */
  private volatile boolean isCounted;

  RuledProfile(DecidedRules rules, Program program) {
    this.rules = rules;
    this.program = program;
    this.entry = rights(program, Pseudo.ENTRY);
    this.children = rights(program, Pseudo.CHILDREN);
    this.hasValueChecks = program.hasValueChecks();
  }

  /** Counts what the profile takes from now on: it is kept. */
  void count() {
    isCounted = true;
  }

  @Override
  public AttributeSelection selection(
      AttributeSelection asked, Function<Profile, AttributeRights> readable) {
    int place = System.identityHashCode(asked) & SELECTIONS - 1;
    Selected known = selections.get(place);
    if (known == null || known.asked() != asked) {
      known = new Selected(asked, asked.within(readable.apply(this)));
      boolean isFurther = selections.getAndSet(place, known) == null;
      TableAnswers current = answers.get();
      if (isFurther && isCounted && current != null) {
        rules.keeps(current.selectionBytes());
      }
    }
    return known.shown();
  }

  private record Selected(AttributeSelection asked, AttributeSelection shown) {}

  @Override
  public boolean isSameAs(@Nullable Profile other) {
    return other == this
        || other instanceof RuledProfile known
            && rules == known.rules
            && program.equals(known.program);
  }

  private static int rights(Program program, Pseudo pseudo) {
    return Verdict.of(program, Subject.of(pseudo), null).rights();
  }

  @Override
  public int entryRights() {
    return entry;
  }

  @Override
  public boolean allowsEntry(Right right) {
    return Rights.has(entry, right);
  }

  @Override
  public boolean allowsChildren(Right right) {
    return Rights.has(children, right);
  }

  @Override
  public boolean mayDependOnValues() {
    return hasValueChecks;
  }

  @Override
  public int rights(AttributeDescription attribute) {
    return AttributeAnswer.whole(answer(attribute).rights());
  }

  @Override
  public int rights(AttributeTable table, int attributeId) {
    return AttributeAnswer.whole(answers(table).rights(this, attributeId));
  }

  @Override
  public Answer onValues(AttributeDescription attribute, Right right) {
    return AttributeAnswer.onValues(answer(attribute).rights(), right);
  }

  @Override
  public Answer onValues(AttributeTable table, int attributeId, Right right) {
    return AttributeAnswer.onValues(answers(table).rights(this, attributeId), right);
  }

  @Override
  public boolean @Nullable [] granted(AttributeTable table, Right right) {
    return answers(table).granted(this, right);
  }

  @Override
  public boolean @Nullable [] depending(AttributeTable table, Right right) {
    return hasValueChecks ? answers(table).depending(this, right) : null;
  }

  /** Answers a question about the entry or its children, with the statements that decided. */
  public Decision explain(Pseudo pseudo) {
    return Verdict.of(program, Subject.of(pseudo), null).decision();
  }

  /**
   * Answers a question about an attribute, with the statements that decided.
   *
   * @param value the value; null for the attribute as a whole
   */
  public Decision explain(AttributeDescription attribute, byte @Nullable [] value) {
    ValueQuestion question = value == null ? null : newQuestion().on(attribute.type(), value);
    Program about = program.about(Subject.of(attribute), rules.isSafe());
    return Verdict.of(about, Subject.KNOWN, question).decision();
  }

  /**
   * Returns which of the attributes that a test names the client may search; null if that is not
   * known, or depends on values.
   *
   * @param isWhole true for a test of presence, which is about attributes as a whole
   */
  public GuardedFilter.Guard.@Nullable Part searchable(
      AttributeTable table, AttributeDescription tested, boolean isWhole) {
    return answers(table).searchable(tested, isWhole);
  }

  /** Keeps the answer to the same question. */
  public void keepSearchable(
      AttributeTable table,
      AttributeDescription tested,
      boolean isWhole,
      GuardedFilter.Guard.Part part) {
    if (!tested.isLong() && (isWhole || !hasValueChecks)) {
      answers(table).keep(new Searchable(tested, isWhole, part));
    }
  }

  /** The part of the attributes that a test names which may be searched. */
  private record Searchable(
      AttributeDescription tested, boolean isWhole, GuardedFilter.Guard.Part part) {}

  /** Makes the memory for questions about values. */
  ValueQuestion newQuestion() {
    return new ValueQuestion(rules.compiled().schema(), rules.user());
  }

  int rights(
      AttributeDescription attribute,
      ValueQuestion question,
      ByteBuffer source,
      int start,
      int length) {
    AttributeAnswer answer = answer(attribute);
    Program about = answer.about();
    if (about == null) {
      return AttributeAnswer.always(answer.rights());
    }
    question.on(attribute.type(), source, start, length);
    int rights = Verdict.of(about, Subject.KNOWN, question).rights();
    return attribute.type().isSecret() ? Rights.ofSecret(rights) : rights;
  }

  /** The rights to an attribute, in the form of {@link AttributeAnswer#rights}. */
  AttributeAnswer answer(AttributeDescription asked) {
    AttributeDescription attribute = rules.compiled().alike(asked);
    AttributeAnswer answer = known.get(attribute);
    if (answer == null) {
      answer = AttributeAnswer.of(program, Subject.of(attribute), rules.isSafe());
      if (AttributeProviders.tellsOfChildren(attribute.type())) {
        answer = answer.within(children);
      }
      if (known.size() < MOST_KNOWN && !attribute.isLong()) {
        known.put(attribute, answer);
      }
    }
    return answer;
  }

  private TableAnswers answers(AttributeTable table) {
    TableAnswers current = answers.get();
    if (current != null && current.isOf(table)) {
      return current;
    }
    TableAnswers next = new TableAnswers(table);
    // Of several threads, one counts: what each of them leaves is garbage.
    if (answers.compareAndSet(current, next) && isCounted) {
      rules.keeps(next.bytes() - (current == null ? 0 : current.bytes()));
    }
    return next;
  }

  /**
   * The answers of a profile for the attributes of a table.
   *
   * <p>Thread-safe: answers are computed once, or several times with the same result. Hot.
   */
  private static final class TableAnswers {
    private static final int RIGHTS = Right.values().length;

    private static final int OBJECT_BYTES = 128;

    /** The tests that answers are kept about, a power of two. */
    private static final int TESTS = 8;

    private static final int TEST_BYTES = 64;

    /** The rights that searches ask for, each with a byte for every attribute. */
    private static final int USUAL_SETS = 2;

    private final AttributeTable table;
    private final int[] rights;

    /** Answers about tests, each at a place by its attribute; others take its place. */
    private final @Nullable Searchable[] searchable = new @Nullable Searchable[TESTS];

    private final @Nullable Some[] granted = new @Nullable Some[RIGHTS];
    private final @Nullable Some[] depending = new @Nullable Some[RIGHTS];

    /**
     * Some attributes, by their numbers; null for none. A record, so that threads see all of it.
     */
    private record Some(boolean @Nullable [] attributes) {}

    TableAnswers(AttributeTable table) {
      this.table = table;
      this.rights = new int[table.size() + 1];
    }

    /** The memory that the answers take, in bytes, once the usual ones are given. */
    long bytes() {
      return OBJECT_BYTES
          + TESTS * TEST_BYTES
          + (long) (Integer.BYTES + USUAL_SETS) * rights.length;
    }

    /** The memory of a selection of attributes among those of the table, in bytes. */
    long selectionBytes() {
      return OBJECT_BYTES + (long) rights.length;
    }

    boolean isOf(AttributeTable other) {
      return table == other;
    }

    /** The rights to an attribute, in the form of {@link AttributeAnswer#rights}. */
    int rights(RuledProfile profile, int attributeId) {
      int known = rights[attributeId];
      if (known == 0) {
        known = profile.answer(table.description(attributeId)).rights();
        rights[attributeId] = known;
      }
      return known;
    }

    private static int place(AttributeDescription tested) {
      int hash = tested.hashCode();
      return (hash ^ hash >>> 16) & TESTS - 1;
    }

    GuardedFilter.Guard.@Nullable Part searchable(AttributeDescription tested, boolean isWhole) {
      Searchable known = searchable[place(tested)];
      return known != null && known.isWhole() == isWhole && known.tested().equals(tested)
          ? known.part()
          : null;
    }

    void keep(Searchable answer) {
      searchable[place(answer.tested())] = answer;
    }

    boolean @Nullable [] granted(RuledProfile profile, Right right) {
      return find(Answer.GRANTED, right, profile, granted);
    }

    boolean @Nullable [] depending(RuledProfile profile, Right right) {
      return find(Answer.DEPENDS, right, profile, depending);
    }

    private boolean @Nullable [] find(
        Answer answer, Right right, RuledProfile profile, @Nullable Some[] found) {
      Some known = found[Rights.number(right)];
      if (known == null) {
        known = new Some(find(answer, right, profile));
        found[Rights.number(right)] = known;
      }
      return known.attributes();
    }

    private boolean @Nullable [] find(Answer answer, Right right, RuledProfile profile) {
      boolean[] found = new boolean[rights.length];
      boolean isAny = false;
      for (int id = 1; id < found.length; id++) {
        found[id] = AttributeAnswer.onValues(rights(profile, id), right) == answer;
        isAny |= found[id];
      }
      return isAny ? found : null;
    }
  }
}
