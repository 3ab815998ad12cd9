package org.nyala.extension;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.filter.Membership;
import org.nyala.core.message.OperationType;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;

/**
 * A capability beyond the ten operations: what it adds to a directory, and where.
 *
 * <p>One object serves a directory from its start to its end. Thread-safe: schemas and terms change
 * while requests run by the former ones, so that hooks of several schemas are in use at once.
 */
public interface Extension extends AutoCloseable {
  /**
   * Returns the name by which the configuration, logs and {@code cn=Overlays,cn=Monitor} call it:
   * small letters, digits and hyphens, 1 to 40, the first a letter. No other has the same.
   */
  String name();

  /**
   * Returns the version that its {@link ExtensionSource#version source} tells, which the server
   * answers for it; empty for a part of the server.
   */
  default String version() {
    return "";
  }

  /** Returns the place in the list that it requires. */
  default Place place() {
    return Place.BEFORE_OPERATIONS;
  }

  /**
   * Returns the computed values of {@code memberOf}; null if it computes none. Asked once for each
   * schema, before {@link #hooks}. One extension of a directory may compute them.
   *
   * @throws IllegalArgumentException if the schema lacks an element that it needs
   */
  default @Nullable Membership membership(Schema schema) {
    return null;
  }

  /**
   * Returns the controls that requests of a type honour because of it, besides those of every
   * directory; the same whenever it is asked. The root DSE lists them.
   *
   * @param type any but {@link OperationType#EXTENDED}, whose requests honour those of {@link
   *     ExtendedKind#controls}
   */
  default Set<ControlType> controls(OperationType type) {
    return Set.of();
  }

  /**
   * Returns what it does in a directory under one schema and one set of terms. Asked at the start,
   * and whenever one of them changes, before the new ones come into force.
   *
   * @param directory may be kept, and must be asked for what its interface has only before the
   *     first request comes
   * @throws IllegalArgumentException if the schema lacks an element that it needs; the new schema
   *     or terms are refused then, and the former stay in force
   */
  Hooks hooks(Directory directory);

  /** Returns the extended operations that it carries out; always the same. */
  default List<ExtendedKind> extended() {
    return List.of();
  }

  /**
   * Returns the entries that it shows and no store holds, each list below a top of its own; always
   * the same. Root sees them, and others as far as rules name a place there.
   */
  default List<VirtualTree> trees() {
    return List.of();
  }

  /**
   * Begins its work in a directory that is complete. Called once, before the first request.
   *
   * @throws RuntimeException to keep the directory from opening
   */
  default void opened(Directory directory) {}

  /** Returns the listeners for commits, for as long as the directory is open; asked once. */
  default List<ChangeListener> listeners() {
    return List.of();
  }

  /**
   * Returns whether it may be there to restrict. If so, what it fails to check is refused, and it
   * stays on; otherwise it is switched off at its first fault.
   */
  default boolean restricts() {
    return true;
  }

  /**
   * Returns the store that the directory has in place of one: the same, or one that encloses it.
   * Called once, before anything else of it is asked; the directory closes neither.
   *
   * @param schema that of the store
   * @param data the data directory, in which it may have a folder of its name
   * @throws RuntimeException to keep the directory from opening
   */
  default Backend store(Backend store, Schema schema, Path data) {
    return store;
  }

  /**
   * Returns whether what is read here is as good as what other servers of the same data have;
   * {@code /ready} says so. Any thread; quick.
   */
  default boolean isCurrent() {
    return true;
  }

  /**
   * Returns whether changes are carried out here, as far as it decides that; {@code /ready/write}
   * says so. Any thread; quick.
   */
  default boolean isWritable() {
    return true;
  }

  /**
   * Carries out a command that its source says is {@linkplain Command#isServed served}. A thread of
   * management calls it, which may wait; several may at once.
   *
   * @param command the name of the command
   * @param arguments those after it
   * @param out receives what the command prints
   * @return the exit code: 0 for done, 1 for failed
   * @throws IllegalArgumentException if the arguments are wrong; the message says why
   * @throws IllegalStateException if it cannot be done now; the message says why
   */
  default int run(String command, List<String> arguments, PrintWriter out) {
    throw new IllegalArgumentException("there is no command " + command);
  }

  /** Returns one sentence about its work, which {@code cn=Overlays,cn=Monitor} shows. */
  default String description() {
    return "The work of the extension " + name() + ".";
  }

  /** Returns what it counts and measures; always the same. */
  default List<Meter> meters() {
    return List.of();
  }

  /** Returns what it measures of several things at once; always the same. */
  default List<Meter.Series> series() {
    return List.of();
  }

  /**
   * Returns its state in words, such as {@code role} and {@code follower}, in the order in which
   * {@code cn=Monitor} and JMX show it. Names are those of {@linkplain Meter meters}, 100 at most.
   * Any thread; quick.
   */
  default Map<String, String> state() {
    return Map.of();
  }

  /**
   * A condition that lasts until somebody does something.
   *
   * @param kind one word of letters and digits, by which alarms tell it from others
   * @param text one sentence: what is so, and what to do
   */
  record Condition(String kind, String text) {}

  /**
   * Returns what an administrator has to look at now. Each kind is an alarm of the server for as
   * long as it is returned. Asked every second; any thread; quick.
   */
  default List<Condition> conditions() {
    return List.of();
  }

  /**
   * Returns whether clients are to leave this server, which is to be stopped then: it takes no
   * further connections once a command has brought that about. Any thread; quick.
   */
  default boolean isLeaving() {
    return false;
  }

  /**
   * Prepares the end of the server while all requests are still served: others take over what only
   * this server does. Called once, before connections are closed; it must end within seconds.
   */
  default void stopping() {}

  /** Returns an extension that has hooks only. */
  static Extension of(String name, Place place, Function<Directory, Hooks> hooks) {
    return new Extension() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Place place() {
        return place;
      }

      @Override
      public Hooks hooks(Directory directory) {
        return hooks.apply(directory);
      }
    };
  }

  /** Releases what it holds, after the last request; throws nothing. */
  @Override
  default void close() {}
}
