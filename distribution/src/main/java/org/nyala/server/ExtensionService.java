package org.nyala.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Extension;
import org.nyala.management.bean.ExtensionsMXBean;

/**
 * The commands of extensions at a running server, for JMX and {@code bin/nyala}. Thread-safe.
 *
 * @param operations has the extensions
 * @param logs receives who has given a command
 */
record ExtensionService(DirectoryOperations operations, ServerLogs logs)
    implements ExtensionsMXBean {
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
      int exitCode = found.run(command, words, new PrintWriter(text, true));
      return new Answer(exitCode, text.toString(), "");
    } catch (IllegalArgumentException e) {
      return new Answer(1, text.toString(), ErrorMessages.line(e));
    }
  }
}
