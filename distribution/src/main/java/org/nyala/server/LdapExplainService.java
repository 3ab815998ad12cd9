package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.log.LogText;

/**
 * Explains searches for clients, one after the other on a thread of its own.
 *
 * <p>Thread-safe. Closing it answers all waiting requests.
 */
final class LdapExplainService implements SearchExplainers, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(LdapExplainService.class.getName());

  /** The maximum number of waiting questions. */
  private static final int QUEUE = 16;

  private static final int IDLE_SECONDS = 60;

  private final ExplainService explaining;
  private final ThreadPoolExecutor executor;

  LdapExplainService(ExplainService explaining) {
    this.explaining = explaining;
    this.executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().daemon().name("nyala-explain").factory());
    executor.allowCoreThreadTimeOut(true);
  }

  @Override
  public boolean explain(Question question) {
    try {
      executor.execute(new Waiting(question));
      return true;
    } catch (RejectedExecutionException _) {
      return false;
    }
  }

  /** A question that waits for its turn. */
  private final class Waiting implements Runnable {
    private final Question question;

    private Waiting(Question question) {
      this.question = question;
    }

    @Override
    public void run() {
      question.answer().accept(answer());
    }

    private LdapResult answer() {
      try {
        if (!question.isWanted().getAsBoolean()) {
          return LdapResult.of(ResultCode.CANCELED);
        }
        SearchExplanation explanation = explaining.explain(question);
        return question.isWanted().getAsBoolean()
            ? result(explanation)
            : LdapResult.of(ResultCode.CANCELED);
      } catch (IllegalArgumentException e) {
        return LdapResult.of(ResultCode.NO_SUCH_OBJECT, ErrorMessages.line(e));
      } catch (RuntimeException | Error e) {
        LOG.log(Level.ERROR, "explaining a search", e);
        return LdapResult.of(ResultCode.OTHER, "internal error");
      }
    }

    private LdapResult result(SearchExplanation explanation) {
      ExplanationReport report =
          new ExplanationReport(
              question.base().toString(),
              question.scope().label(),
              LogText.filter(question.filter()),
              explanation);
      byte[] json = report.json().getBytes(UTF_8);
      return LdapResult.SUCCESS.with(List.of(new ResponseControl(ControlType.EXPLAIN.oid(), json)));
    }
  }

  @Override
  public void close() {
    for (Runnable left : executor.shutdownNow()) {
      if (left instanceof Waiting waiting) {
        waiting.question.answer().accept(LdapResult.of(ResultCode.UNAVAILABLE, "the server stops"));
      }
    }
  }
}
