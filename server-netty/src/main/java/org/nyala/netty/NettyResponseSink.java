package org.nyala.netty;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.EntryInParts;
import org.nyala.core.session.ResponseSink;
import org.nyala.netty.codec.ControlEncoder;
import org.nyala.netty.codec.EntryEncoder;
import org.nyala.netty.codec.EntryParts;
import org.nyala.netty.codec.LdapTags;
import org.nyala.netty.codec.ResultEncoder;

/**
 * Encodes the answers to one request: into the connection's own buffer on its event loop, into a
 * buffer that is handed over on any other thread.
 *
 * <p>Confined to one running operation, except for {@link #suppress}. Hot.
 */
final class NettyResponseSink implements ResponseSink {
  private static final int FIRST_CAPACITY = 1024;

  private final ConnectionOutput output;
  private final int messageId;
  private @Nullable ByteBuf own;

  /** The bytes of the account that are taken for {@link #own}, or for what is appended next. */
  private int reserved;

  private boolean isLong;

  /** The steps of memory that the next entry waits for; 0 if it waits for none. */
  private char awaitedSteps;

  private int entries;
  private int responses;
  private @Nullable LdapResult answered;
  private volatile boolean suppressed;

  /** Creates the sink for the answers that carry {@code messageId}. */
  NettyResponseSink(ConnectionOutput output, int messageId) {
    this.output = output;
    this.messageId = messageId;
  }

  /** Returns the buffer to append to now; bytes that were appended elsewhere before go first. */
  private ByteBuf target() {
    ByteBuf bytes = own;
    if (output.isOnLoop() && reserved == 0) {
      if (bytes != null) {
        own = null;
        output.write(bytes, 0);
      }
      return output.burst();
    }
    if (bytes == null) {
      bytes = output.allocate(firstCapacity());
      own = bytes;
    } else if (bytes.capacity() < reserved) {
      // By itself it would grow to the double.
      bytes.capacity(reserved);
    }
    return bytes;
  }

  /** Returns the capacity of the first buffer of a slice: that of a whole one, if it can be had. */
  private int firstCapacity() {
    if (reserved > 0) {
      return reserved;
    }
    return isLong && reserve(ConnectionOutput.SLICE_CAPACITY)
        ? ConnectionOutput.SLICE_CAPACITY
        : FIRST_CAPACITY;
  }

  /**
   * Reserves room in a buffer: the double of what it has, so that it is copied a few times only, or
   * what is wanted if the double cannot be had.
   */
  private boolean grow(int wanted, int capacity) {
    int enough = Math.max(wanted, capacity);
    int twice = Math.min(2 * capacity, ConnectionOutput.SLICE_CAPACITY);
    return enough <= reserved || twice > enough && reserve(twice) || reserve(enough);
  }

  private boolean reserve(int wanted) {
    int more = wanted - reserved;
    if (more > 0) {
      if (!output.tryReserve(more)) {
        return false;
      }
      reserved += more;
    }
    return true;
  }

  @Override
  public boolean reserve(long octets) throws LdapOperationException {
    ByteBuf bytes = own;
    long with = octets + (bytes == null ? 0 : bytes.readableBytes());
    long steps = (with + ConnectionOutput.FREE_STEP_BYTES) / ConnectionOutput.FREE_STEP_BYTES;
    if (!output.couldReserve(steps * ConnectionOutput.FREE_STEP_BYTES)) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "the entry takes more memory than there is for answers");
    }
    boolean hasWaited = awaitsRoom();
    awaitedSteps = 0;
    if (reservePiece((int) steps)) {
      return true;
    }
    if (output.isRoomOverdue() && hasWaited) {
      output.room().refused();
      throw new LdapOperationException(
          ResultCode.BUSY, "there is no memory for the next entry at the moment");
    }
    awaitedSteps = (char) (octets / ConnectionOutput.FREE_STEP_BYTES + 1);
    return false;
  }

  private boolean reservePiece(int steps) {
    int more = steps * ConnectionOutput.FREE_STEP_BYTES - reserved;
    if (more > 0) {
      if (!output.tryReservePiece(more)) {
        return false;
      }
      reserved += more;
    }
    output.room().found();
    return true;
  }

  @Override
  public boolean awaitsRoom() {
    return awaitedSteps > 0;
  }

  @Override
  public void unreserve() {
    if (own == null) {
      output.giveBack(takeReserved());
    }
  }

  /**
   * Gives back what was reserved for an entry that does not come now: something small is appended,
   * for which no buffer of that size is made.
   */
  private void entryFails() {
    if (reserved > 0) {
      ByteBuf bytes = own;
      int needed =
          bytes == null
              ? 0
              : Math.max(bytes.capacity(), ConnectionOutput.wanted(bytes.readableBytes()));
      output.giveBack(Math.max(0, reserved - needed));
      reserved = Math.min(reserved, needed);
    }
  }

  private int takeReserved() {
    int taken = reserved;
    reserved = 0;
    return taken;
  }

  @Override
  public void entry(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls) {
    if (!suppressed) {
      entries++;
      responses++;
      awaitedSteps = 0;
      byte[] encoded = ControlEncoder.encode(controls);
      EntryEncoder.append(target(), messageId, entry, table, selection, computed, encoded);
    }
  }

  @Override
  public EntryInParts entryInParts(
      EntryView entry,
      AttributeTable table,
      AttributeSelection selection,
      List<byte[]> computed,
      List<ResponseControl> controls) {
    byte[] encoded = ControlEncoder.encode(controls);
    return new InParts(new EntryParts(messageId, entry, table, selection, computed, encoded));
  }

  /** An entry in a buffer of its own, which joins the answers when it is complete. */
  private final class InParts implements EntryInParts {
    private final EntryParts parts;
    private @Nullable ByteBuf message;
    private int charged;

    InParts(EntryParts parts) {
      this.parts = parts;
    }

    @Override
    public int octets() {
      return parts.octets();
    }

    @Override
    public void charged(long bytes) {
      charged = Math.toIntExact(bytes);
      output.takeOver(charged);
    }

    @Override
    public void takeReserved() {
      ByteBuf before = own;
      int kept = before == null ? 0 : Math.min(reserved, before.capacity());
      charged += reserved - kept;
      reserved = kept;
    }

    @Override
    public boolean write(EntryView entry, Pace pace) {
      ByteBuf bytes = message;
      if (bytes == null) {
        bytes = output.allocate(parts.octets());
        message = bytes;
      }
      if (!parts.write(bytes, entry, pace)) {
        return false;
      }
      message = null;
      int taken = charged;
      charged = 0;
      append(bytes, taken);
      return true;
    }

    @Override
    public void close() {
      ByteBuf left = message;
      message = null;
      if (left != null) {
        left.release();
      }
      output.giveBack(charged);
      charged = 0;
    }
  }

  /** Appends a whole entry, and takes over the buffer and what was taken for it. */
  private void append(ByteBuf bytes, int taken) {
    if (suppressed) {
      bytes.release();
      output.giveBack(taken);
      return;
    }
    entries++;
    responses++;
    awaitedSteps = 0;
    ByteBuf before = own;
    own = null;
    if (output.isOnLoop()) {
      if (before != null) {
        output.write(before, takeReserved());
      }
      output.write(bytes, taken);
    } else {
      // Earlier answers go ahead: copies would take twice the memory for a moment.
      handOver(before, takeReserved(), null);
      own = bytes;
      reserved = taken;
    }
  }

  @Override
  public void reference(List<String> urls, List<ResponseControl> controls) {
    if (!suppressed) {
      responses++;
      output.referralSent();
      entryFails();
      ResultEncoder.reference(target(), messageId, urls, controls);
    }
  }

  @Override
  public void intermediate(@Nullable String oid, byte @Nullable [] value) {
    if (!suppressed) {
      responses++;
      entryFails();
      ResultEncoder.intermediate(target(), messageId, oid, value);
    }
  }

  @Override
  public void result(Request request, LdapResult result) {
    int tag = ResultEncoder.responseTag(request);
    answered = result;
    if (!suppressed && tag != LdapTags.NONE) {
      responses++;
      entryFails();
      ResultEncoder.result(target(), messageId, tag, result);
    }
  }

  @Override
  public void extendedResult(LdapResult result, @Nullable String oid, byte @Nullable [] value) {
    answered = result;
    if (!suppressed) {
      responses++;
      entryFails();
      ResultEncoder.extended(target(), messageId, result, oid, value);
    }
  }

  @Override
  public void bindResult(LdapResult result, byte @Nullable [] serverSaslCredentials) {
    answered = result;
    if (!suppressed) {
      responses++;
      entryFails();
      ResultEncoder.bind(target(), messageId, result, serverSaslCredentials);
    }
  }

  @Override
  public boolean isWritable() {
    ByteBuf bytes = own;
    if (awaitedSteps > 0) {
      return isRoomThere();
    }
    if (bytes == null) {
      return output.isWritable(0);
    }
    int wanted = ConnectionOutput.wanted(bytes.readableBytes());
    return output.isWritable(bytes.readableBytes())
        && (wanted == 0 || grow(wanted, bytes.capacity()));
  }

  /**
   * Returns whether there is room for what the next entry waits for, which is reserved then; or
   * whether it has waited for too long, so that the next call of {@link #reserve} fails.
   */
  private boolean isRoomThere() {
    if (output.isWritable(0) && reservePiece(awaitedSteps)) {
      awaitedSteps = 0;
      return true;
    }
    return output.isRoomOverdue();
  }

  @Override
  public void flush(@Nullable Runnable completion) {
    ByteBuf bytes = own;
    own = null;
    if (completion != null && !output.isHeld()) {
      // The connection ended while the operation ran: only the end of the operation matters.
      if (bytes != null) {
        bytes.release();
      }
      bytes = null;
    }
    int charged = takeReserved();
    if (!output.isOnLoop()) {
      handOver(bytes, charged, completion);
      return;
    }
    if (bytes == null || suppressed) {
      output.giveBack(charged);
      charged = 0;
    }
    output.begin();
    try {
      if (bytes != null && suppressed) {
        bytes.release();
      } else if (bytes != null) {
        output.write(bytes, charged);
      }
      output.appended();
      if (completion != null) {
        completion.run();
      }
    } finally {
      output.end();
    }
  }

  private void handOver(@Nullable ByteBuf bytes, int charged, @Nullable Runnable completion) {
    if (bytes == null && completion == null) {
      output.giveBack(charged);
      return;
    }
    if (bytes != null && bytes.readableBytes() >= ConnectionOutput.SLICE_BYTES / 2) {
      isLong = true;
    }
    output.handOver(this, bytes, charged, completion);
  }

  @Override
  public void suppress() {
    suppressed = true;
  }

  /** Returns whether the answer is not wanted any more. Any thread. */
  boolean isSuppressed() {
    return suppressed;
  }

  @Override
  public boolean isOnLoop() {
    return output.isOnLoop();
  }

  @Override
  public @Nullable LdapResult answered() {
    return answered;
  }

  @Override
  public int entries() {
    return entries;
  }

  @Override
  public int responses() {
    return responses;
  }
}
