package org.nyala.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Extension;
import org.nyala.management.bean.ExtensionsMXBean;
import org.nyala.netty.NettyLdapServer;

/**
 * The commands of extensions at a running server, for JMX and {@code bin/nyala}. Thread-safe.
 *
 * @param operations has the extensions
 * @param logs receives who has given a command
 * @param wire has the connections
 */
record ExtensionService(DirectoryOperations operations, ServerLogs logs, NettyLdapServer wire)
    implements ExtensionsMXBean {
  /** The wait for operations before a stop, which waits for them once more. */
  private static final int LEAVE_SECONDS = 10;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  @Override
  public Map<String, Map<String, String>> getStates() {
    Map<String, Map<String, String>> states = new LinkedHashMap<>();
    for (Extension each : operations.extensions()) {
      Map<String, String> state = each.state();
      if (!state.isEmpty()) {
        states.put(each.name(), state);
      }
    }
    return states;
  }

  @Override
  public Answer run(String extension, String command, String[] arguments, String caller) {
    Extension found =
        operations.extensions().stream()
            .filter(each -> each.name().equals(extension))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "the configuration of the server does not have " + extension));
    List<String> words = List.of(arguments);
    StringWriter text = new StringWriter();
    logs.extensionAdministered(
        AccountService.caller(caller), command + ' ' + String.join(" ", words), extension);
    try {
      boolean wasLeaving = found.isLeaving();
      int exitCode = found.run(command, words, new PrintWriter(text, true));
      if (found.isLeaving() && !wasLeaving) {
        leave(new PrintWriter(text, true));
      }
      return new Answer(exitCode, text.toString(), "");
    } catch (IllegalArgumentException e) {
      return new Answer(1, text.toString(), ErrorMessages.line(e));
    }
  }

  /** Takes no further connections, and waits for the operations of those that there are. */
  private void leave(PrintWriter out) {
    wire.stopAccepting();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LEAVE_SECONDS);
    int left = running();
    while (left > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_NANOS);
      left = running();
    }
    out.println(
        left == 0
            ? "no connections are taken any more, and no operations run: the server may be stopped"
            : "no connections are taken any more; operations that run still: " + left);
  }

  /** Returns the number of operations that end by themselves, as persistent searches do not. */
  private int running() {
    AtomicInteger running = new AtomicInteger();
    wire.visitRunning(
        operation -> {
          if (!operation.isEndless()) {
            running.incrementAndGet();
          }
        });
    return running.get();
  }
}
