package org.nyala.management.http;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The health of a server, as {@code /live} and {@code /ready} tell it.
 *
 * <p>Immutable; the suppliers are thread-safe.
 *
 * @param live whether its event loops respond and its store can be read
 * @param able whether its data directory is in its place
 * @param current whether its copies of other servers are up to date
 * @param writable whether changes of clients are carried out here, and can be stored
 * @param alarms the labels of current alarms
 */
public record ServerHealth(
    BooleanSupplier live,
    BooleanSupplier able,
    BooleanSupplier current,
    BooleanSupplier writable,
    Supplier<List<String>> alarms) {
  boolean isLive() {
    return live.getAsBoolean();
  }

  boolean isReadable() {
    return isLive() && current.getAsBoolean();
  }

  boolean isReady() {
    return isReadable() && able.getAsBoolean();
  }

  boolean isWritable() {
    return isReady() && writable.getAsBoolean();
  }
}
