package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The attributes of entries that are the state of accounts, read in one pass.
 *
 * <p>Thread-safe.
 */
final class AccountAttributes {
  /** The year by which an account is locked until somebody unlocks it: {@code 000001010000Z}. */
  private static final String FOR_GOOD = "0000";

  private static final Kind[] KINDS = Kind.values();

  private enum Kind {
    POLICY(PolicyReader.NAMES_POLICY),
    LOCKED("pwdAccountLockedTime"),
    DELAYED("pwdAccountTmpLockoutEnd"),
    FAILURE("pwdFailureTime"),
    START("pwdStartTime"),
    END("pwdEndTime"),
    CHANGED("pwdChangedTime"),
    RESET("pwdReset"),
    GRACE("pwdGraceUseTime"),
    LAST_SUCCESS("pwdLastSuccess");

    private final String attribute;

    Kind(String attribute) {
      this.attribute = attribute;
    }
  }

  /**
   * The state of an account, and the policy that its entry names.
   *
   * @param policy the name as it is stored; null for none
   */
  record Found(AccountState state, byte @Nullable [] policy) {
    static final Found NOTHING = new Found(AccountState.NEW, null);
  }

  /** The kinds of the attributes of a store by their numbers; negative for others. */
  private record Columns(AttributeTable table, byte[] kinds, boolean[] selected, boolean hasAny) {}

  private final List<@Nullable AttributeDescription> descriptions = new ArrayList<>(KINDS.length);
  private volatile Columns columns =
      new Columns(AttributeTable.EMPTY, new byte[1], new boolean[1], false);

  AccountAttributes(Schema schema) {
    for (Kind kind : KINDS) {
      AttributeType type = schema.attributeType(kind.attribute);
      descriptions.add(type == null ? null : AttributeDescription.of(type));
    }
  }

  /** Reads the entry that a view shows. */
  Found read(EntryView entry, AttributeTable table) {
    Columns known = columns;
    if (known.table() != table) {
      known = columns(table);
      columns = known;
    }
    int count = entry.attributeCount();
    int first = known.hasAny() ? entry.indexOf(true, known.selected(), 0, count) : count;
    if (first >= count) {
      return Found.NOTHING;
    }
    Draft draft = new Draft();
    for (int i = first; i < count; i++) {
      byte kind = known.kinds()[entry.attributeId(i)];
      if (kind >= 0 && !entry.isApart(i)) {
        ValueCursor values = new ValueCursor().open(entry, i);
        while (values.next()) {
          draft.take(KINDS[kind], values.value());
        }
      }
    }
    return draft.found();
  }

  private Columns columns(AttributeTable table) {
    byte[] kinds = new byte[table.size() + 1];
    boolean[] selected = new boolean[kinds.length];
    boolean hasAny = false;
    for (int id = 0; id < kinds.length; id++) {
      kinds[id] = id == 0 ? -1 : (byte) descriptions.indexOf(table.description(id));
      selected[id] = kinds[id] >= 0;
      hasAny |= selected[id];
    }
    return new Columns(table, kinds, selected, hasAny);
  }

  /** The state as far as it is read. Confined to one thread. */
  private static final class Draft {
    private boolean isForGood;
    private @Nullable Instant locked;
    private @Nullable Instant delayed;
    private @Nullable Instant start;
    private @Nullable Instant end;
    private @Nullable Instant changed;
    private @Nullable Instant lastSuccess;
    private boolean isReset;
    private List<Instant> failures = List.of();
    private List<Instant> graceUses = List.of();
    private byte @Nullable [] policy;
    private boolean saysState;

    void take(Kind kind, byte[] value) {
      saysState |= kind != Kind.POLICY;
      switch (kind) {
        case POLICY -> policy = value;
        case LOCKED -> lock(value);
        case DELAYED -> delayed = time(value, Instant.MAX);
        case FAILURE -> failures = with(failures, PolicyTimes.parse(value));
        case START -> start = time(value, Instant.MAX);
        case END -> end = time(value, Instant.MIN);
        case CHANGED -> changed = PolicyTimes.parse(value);
        case RESET -> isReset = isTrue(value);
        case GRACE -> graceUses = with(graceUses, PolicyTimes.parse(value));
        case LAST_SUCCESS -> lastSuccess = PolicyTimes.parse(value);
      }
    }

    private void lock(byte[] value) {
      locked = PolicyTimes.parse(value);
      isForGood = locked == null || new String(value, US_ASCII).startsWith(FOR_GOOD);
    }

    private static Instant time(byte[] value, Instant otherwise) {
      Instant time = PolicyTimes.parse(value);
      return time == null ? otherwise : time;
    }

    private static List<Instant> with(List<Instant> times, @Nullable Instant time) {
      if (time == null) {
        return times;
      }
      List<Instant> more = times.isEmpty() ? new ArrayList<>() : times;
      more.add(time);
      return more;
    }

    Found found() {
      AccountState state =
          saysState
              ? new AccountState(
                  isForGood,
                  locked,
                  delayed,
                  failures,
                  start,
                  end,
                  new AccountState.Use(changed, isReset, graceUses, lastSuccess))
              : AccountState.NEW;
      return new Found(state, policy);
    }
  }

  /** Returns whether a value of a Boolean attribute is true. */
  static boolean isTrue(byte[] value) {
    return "TRUE".equalsIgnoreCase(new String(value, US_ASCII));
  }
}
