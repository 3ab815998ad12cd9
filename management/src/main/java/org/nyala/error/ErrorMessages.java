package org.nyala.error;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.bytes.PrintableText;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.StoreException;

/** Texts for failures; Java's file errors often contain no more than the file's name. */
public final class ErrorMessages {
  private static final int MOST_CHARACTERS = 500;

  /** The most causes that are followed: a failure may be one of itself. */
  private static final int DEEPEST = 20;

  private ErrorMessages() {}

  /**
   * Returns text of another server without what could drive a terminal, forge a line or turn the
   * direction of writing, and not too much of it; letters of all languages stay.
   */
  public static String printable(String text) {
    return PrintableText.of(text, MOST_CHARACTERS);
  }

  /** Returns one line with the file and the reason. */
  public static String reason(IOException e) {
    return FileFailures.reason(e);
  }

  /** Returns one line for the terminal; an unexpected failure is shown with its class. */
  public static String explain(Throwable e) {
    return switch (e) {
      case CommandException failure -> line(failure);
      case ConfigurationException failure -> line(failure);
      case StoreException failure -> line(failure);
      case SecurityException failure -> line(failure);
      case StoreUnavailableException failure -> "nothing can be stored: " + line(failure);
      case IOException failure -> reason(failure);
      case UncheckedIOException failure -> {
        @Nullable IOException cause = failure.getCause();
        yield cause == null ? line(failure) : reason(cause);
      }
      case RuntimeException failure when FileFailures.isOfStore(failure) ->
          FileFailures.reason(failure);
      default -> e.getClass().getSimpleName() + ": " + line(e);
    };
  }

  /** Returns a failure, its cause, the cause of that, and so on. */
  public static List<Throwable> causes(Throwable e) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable each = e; each != null && causes.size() < DEEPEST; each = each.getCause()) {
      causes.add(each);
    }
    return causes;
  }

  /** Returns the failure that has led to another one. */
  public static Throwable root(Throwable e) {
    return causes(e).getLast();
  }

  /** Returns one line for any failure. */
  public static String line(Throwable e) {
    @Nullable String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s*\\R\\s*", " ");
  }

  /** Returns the failure to listen on an address for a protocol. */
  public static IOException listenFailure(
      InetSocketAddress address, String protocol, IOException cause) {
    String place = address.getHostString() + ":" + address.getPort();
    return new IOException(
        "cannot listen on " + place + " for " + protocol + ": " + cause.getMessage(), cause);
  }
}
