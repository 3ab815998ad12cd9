package org.nyala.core.directory;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.Compilation;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.FilterReader;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/** The control that makes an operation conditional on a filter (RFC 4528). */
public final class AssertionControl {
  /**
   * The limit of checks for the end of the slice in the writer's thread, after which an assertion
   * is given up: 256 thousand tests, which delay other changes by some milliseconds. An ordinary
   * assertion ends before the first check.
   */
  private static final int WRITER_LOOKS = 1000;

  /** The corresponding limit while the assertion of an update is compiled: a megabyte. */
  private static final int UPDATE_LOOKS = 256;

  /** The memory of the compiled assertion of an update: that of the longest one. */
  public static final int UPDATE_BYTES = 4 << 20;

  /**
   * Ends after a number of look-ups, which takes about as long on every machine and refuses the
   * same requests.
   *
   * <p>Confined to one running operation.
   */
  public static final class Looks implements Pace {
    private final Pace slice;
    private int left;

    private Looks(int left, Pace slice) {
      this.left = left;
      this.slice = slice;
    }

    /** Returns the allowance that the writer has for the test of an assertion, at once. */
    public static Looks ofWriter() {
      return ofWriter(Pace.UNBOUNDED);
    }

    /**
     * Returns the allowance that the writer has for the test of an assertion, spread over slices.
     */
    public static Looks ofWriter(Pace slice) {
      return new Looks(WRITER_LOOKS, slice);
    }

    /** Returns the allowance for compiling the assertion of an update, spread over slices. */
    public static Looks ofUpdate(Pace slice) {
      return new Looks(UPDATE_LOOKS, slice);
    }

    /** Returns whether the whole allowance is used up, not just that of a slice. */
    public boolean isSpent() {
      return left < 0;
    }

    @Override
    public boolean goesOn() {
      return left-- > 0 && slice.goesOn();
    }

    @Override
    public boolean goesOnAfterNothing() {
      return slice.goesOnAfterNothing();
    }
  }

  private AssertionControl() {}

  /**
   * The filter of an update's control; null if it has none.
   *
   * @param room the memory that it may take
   * @throws LdapOperationException protocolError if the value is no filter, adminLimitExceeded when
   *     it is too large, or more than is compiled at once
   */
  public static @Nullable CompiledFilter read(
      ReadServices reading, RequestControls controls, Compilation.Room room)
      throws LdapOperationException {
    FilterNode filter = decode(reading, controls);
    return filter == null ? null : compileAtOnce(reading, filter, room);
  }

  /**
   * Compiles a filter that is not compiled in slices, as far as that is bearable.
   *
   * @throws LdapOperationException adminLimitExceeded if it is not, or the filter is too large
   */
  public static CompiledFilter compileAtOnce(ReadServices reading, FilterNode filter)
      throws LdapOperationException {
    return compileAtOnce(reading, filter, roomOfServer());
  }

  private static CompiledFilter compileAtOnce(
      ReadServices reading, FilterNode filter, Compilation.Room room)
      throws LdapOperationException {
    CompiledFilter compiled =
        compile(reading, filter, new Compilation(room).begin(Pace.ofLooks(UPDATE_LOOKS)));
    if (compiled == null) {
      throw tooLong();
    }
    return compiled;
  }

  /** Returns the memory for a filter that nobody keeps, or whose text is the server's own. */
  public static Compilation.Room roomOfServer() {
    return Compilation.Room.of(UPDATE_BYTES);
  }

  /**
   * The filter of an update's control, to be tested as far as access rules let the client; null if
   * it has none. Otherwise like {@link #read}.
   *
   * @param room the memory that it may take
   */
  public static @Nullable GuardedFilter readGuarded(
      ReadServices reading, RequestControls controls, Compilation.Room room)
      throws LdapOperationException {
    FilterNode filter = decode(reading, controls);
    if (filter == null) {
      return null;
    }
    GuardedFilter guarded = guarded(reading, filter);
    if (!compile(guarded, new Compilation(room).begin(Pace.ofLooks(UPDATE_LOOKS)))) {
      throw tooLong();
    }
    return guarded;
  }

  /** Refuses an assertion that is more than is compiled for an update. */
  public static LdapOperationException tooLong() {
    return new LdapOperationException(
        ResultCode.ADMIN_LIMIT_EXCEEDED, "the assertion takes too long to be read");
  }

  /**
   * The filter of a request's control as it came; null if it has none.
   *
   * @throws LdapOperationException protocolError if the value is no filter
   */
  public static @Nullable FilterNode decode(ReadServices reading, RequestControls controls)
      throws LdapOperationException {
    FilterReader reader = new FilterReader(reading.limits());
    return controls.decode(ControlType.ASSERTION, reader::read);
  }

  /**
   * Compiles a filter that is {@linkplain org.nyala.core.filter.FilterCompiler#isShort short}.
   *
   * @throws LdapOperationException adminLimitExceeded if the filter is too large
   */
  public static CompiledFilter compileShort(ReadServices reading, FilterNode filter)
      throws LdapOperationException {
    try {
      return reading.filters().compileShort(filter);
    } catch (FilterLimitException e) {
      throw refusal(e);
    }
  }

  public static LdapOperationException refusal(FilterLimitException cause) {
    return new LdapOperationException(
        cause.isPassing() ? ResultCode.BUSY : ResultCode.ADMIN_LIMIT_EXCEEDED,
        String.valueOf(cause.getMessage()));
  }

  /**
   * Compiles the items of a filter that access rules decide about, as far as the slice goes.
   *
   * @return false if it is over before
   * @throws LdapOperationException busy if there is no memory for them
   */
  public static boolean compile(GuardedFilter filter, Compilation compilation)
      throws LdapOperationException {
    try {
      return filter.compile(compilation);
    } catch (FilterLimitException e) {
      throw refusal(e);
    }
  }

  /**
   * Begins a filter whose items access rules decide about.
   *
   * @throws LdapOperationException adminLimitExceeded if the filter is too large
   */
  public static GuardedFilter guarded(ReadServices reading, FilterNode filter)
      throws LdapOperationException {
    try {
      return new GuardedFilter(reading.openFilters(), filter);
    } catch (FilterLimitException e) {
      throw refusal(e);
    }
  }

  /**
   * Compiles a filter as far as the slice goes.
   *
   * @return null if it is over before
   * @throws LdapOperationException adminLimitExceeded if the filter is too large, busy if there is
   *     no memory for it
   */
  public static @Nullable CompiledFilter compile(
      ReadServices reading, FilterNode filter, Compilation compilation)
      throws LdapOperationException {
    try {
      return reading.filters().compile(filter, compilation);
    } catch (FilterLimitException e) {
      throw refusal(e);
    }
  }

  /**
   * Checks the entry that {@link OperationScratch#view} shows.
   *
   * @param assertion the filter, and how far its test came
   * @return false if the slice ends before it is known
   * @throws LdapOperationException assertionFailed unless the filter is TRUE, adminLimitExceeded if
   *     too many groups would have to be considered
   */
  public static boolean check(
      EntryMatch assertion,
      OperationScratch scratch,
      AttributeTable table,
      LongPredicate hasSubordinates,
      Pace pace)
      throws LdapOperationException {
    Ternary value = scratch.match(assertion, table, hasSubordinates, pace);
    if (value != Ternary.TRUE && value != null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.ASSERTION_FAILED));
    }
    return value != null;
  }

  /**
   * Checks the entry that {@link OperationScratch#view} shows in the writer's thread, which cannot
   * continue later while others wait for it.
   *
   * @param assertion the test, or null for none
   * @throws LdapOperationException assertionFailed unless the filter is TRUE, adminLimitExceeded if
   *     that takes too long
   */
  public static void checkAtOnce(
      @Nullable EntryMatch assertion,
      OperationScratch scratch,
      AttributeTable table,
      LongPredicate hasSubordinates)
      throws LdapOperationException {
    if (assertion == null) {
      return;
    }
    boolean isKnown = check(assertion, scratch, table, hasSubordinates, Looks.ofWriter());
    if (!isKnown) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the assertion takes too long: other changes would wait");
    }
  }
}
